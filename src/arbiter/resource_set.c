#include "arbiter/resource_set.h"

#include "base/fail.h"

sn_status sn__resource_set_find(const sn_names *resources, const char *const *texts, size_t count,
                                sn_resource_set *set, sn_error *err) {
  sn_resource_set found = sn_resource_set_none();
  for (size_t i = 0; i < count; i++) {
    const int index = sn_names_index(resources, texts[i]);
    if (index < 0 || index >= SN_RESOURCES_MAX) {
      return sn__fail(err, SN_ENOENT, "unknown resource '%s'", texts[i]);
    }
    sn_resource_set_add(&found, (size_t)index);
  }
  *set = found;
  return SN_OK;
}
