/* A user's program: everything comes from the installed headers and library. */
#include <math.h>
#include <stdio.h>

#include "sinew/sinew.h"

int main(void) {
  printf("%s\n", sn_status_text(SN_ENOENT));
  const sn_vec3 v = {3.0, 4.0, 12.0};
  if (fabs(sn_vec3_norm(v) - 13.0) > 1e-12) {
    return 1;
  }
  return 0;
}
