#include <stddef.h>

#include "deploy/deployment.h"
#include "sinew/components.h"

/* Generated from the files in deployments/ (cmake/embed_text.cmake). */
extern const char sn__standard_deployment_text[], sn__walking_deployment_text[];
extern const size_t sn__standard_deployment_text_size, sn__walking_deployment_text_size;

const char *sn_standard_deployment(size_t *size) {
  if (size != NULL) {
    *size = sn__standard_deployment_text_size;
  }
  return sn__standard_deployment_text;
}

const char *sn__walking_deployment(size_t *size) {
  *size = sn__walking_deployment_text_size;
  return sn__walking_deployment_text;
}
