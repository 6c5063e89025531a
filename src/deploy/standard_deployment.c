#include <stddef.h>

#include "sinew/components.h"

/* Generated from deployments/standard.yaml (cmake/embed_text.cmake). */
extern const char sn__standard_deployment_text[];
extern const size_t sn__standard_deployment_text_size;

const char *sn_standard_deployment(size_t *size) {
  if (size != NULL) {
    *size = sn__standard_deployment_text_size;
  }
  return sn__standard_deployment_text;
}
