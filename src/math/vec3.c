#include "sinew/vec3.h"

#include "math/sym3.h"

sn_sym3 sn__sym3_rotate(sn_mat3 r, sn_sym3 s) {
  const sn_mat3 m = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
  const sn_mat3 t = sn_mat3_mul(sn_mat3_mul(r, m), sn_mat3_transpose(r));
  return (sn_sym3){.xx = t.x.x, .yy = t.y.y, .zz = t.z.z, .xy = t.y.x, .xz = t.z.x, .yz = t.z.y};
}

/* One Jacobi rotation in the plane (p, q) of a symmetric 3x3 array. */
static void annihilate(double a[3][3], int p, int q) {
  if (a[p][q] == 0.0) {
    return;
  }
  const int r = 3 - p - q;
  const double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
  const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
  const double c = 1.0 / sqrt(t * t + 1.0);
  const double s = t * c;
  a[p][p] -= t * a[p][q];
  a[q][q] += t * a[p][q];
  a[p][q] = a[q][p] = 0.0;
  const double arp = a[r][p];
  const double arq = a[r][q];
  a[r][p] = a[p][r] = c * arp - s * arq;
  a[r][q] = a[q][r] = s * arp + c * arq;
}

sn_vec3 sn__sym3_eigenvalues(sn_sym3 s) {
  double a[3][3] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
  /* Cyclic Jacobi converges quadratically: six sweeps are more than a 3x3 matrix needs. */
  for (int sweep = 0; sweep < 6; sweep++) {
    annihilate(a, 0, 1);
    annihilate(a, 0, 2);
    annihilate(a, 1, 2);
  }
  const double low = fmin(a[0][0], fmin(a[1][1], a[2][2]));
  const double high = fmax(a[0][0], fmax(a[1][1], a[2][2]));
  const double middle = fmax(fmin(a[0][0], a[1][1]), fmin(fmax(a[0][0], a[1][1]), a[2][2]));
  return sn_vec3_make(low, middle, high);
}
