#include "arbiter/arbiter.h"

#include "base/fail.h"
#include "sinew/fault.h"

#define LOG_CAPACITY_MAX ((size_t)1 << 20)
#define LOG_CAPACITY 256

static sn_status check_count(const char *what, const sn_names *names, size_t count_max,
                             sn_error *err) {
  const size_t count = names == NULL ? 0 : sn_names_count(names);
  if (count == 0 || count > count_max) {
    return sn__fail(err, SN_EINVAL, "arbiter: %zu %s, must be 1 .. %zu", count, what, count_max);
  }
  return SN_OK;
}

static sn_status check_fallback(const sn_arbiter_config *config, size_t resource, sn_error *err) {
  const int fallback = config->fallbacks[resource];
  const char *name = sn_names_at(config->resources, resource);
  if (fallback < SN__NONE || fallback >= (int)sn_names_count(config->controllers)) {
    return sn__fail(err, SN_EINVAL, "arbiter: resource '%s': fallback %d is not a controller", name,
                    fallback);
  }
  if (fallback != SN__NONE &&
      (config->policies == NULL || !config->policies[fallback].keep_subset)) {
    /* It would lose all of its limbs when one is taken from it. */
    return sn__fail(err, SN_EINVAL,
                    "arbiter: resource '%s': fallback '%s' keeps all or nothing, must keep subsets",
                    name, sn_names_at(config->controllers, (size_t)fallback));
  }
  return SN_OK;
}

static sn_status check_config(const sn_arbiter_config *config, sn_error *err) {
  sn_status status =
      check_count("controllers", config->controllers, SN_ARBITER_CONTROLLERS_MAX, err);
  if (status == SN_OK) {
    status = check_count("resources", config->resources, SN_RESOURCES_MAX, err);
  }
  if (status != SN_OK) {
    return status;
  }
  if (config->log_capacity > LOG_CAPACITY_MAX) {
    return sn__fail(err, SN_EINVAL, "arbiter: a log of %zu changes, must be at most %zu",
                    config->log_capacity, LOG_CAPACITY_MAX);
  }
  for (size_t i = 0; config->policies != NULL && i < sn_names_count(config->controllers); i++) {
    if (config->policies[i].acknowledge_ns < 0) {
      return sn__fail(
          err, SN_EINVAL, "arbiter: controller '%s': %lld ns to acknowledge, must be >= 0",
          sn_names_at(config->controllers, i), (long long)config->policies[i].acknowledge_ns);
    }
  }
  for (size_t i = 0; config->fallbacks != NULL && i < sn_names_count(config->resources); i++) {
    status = check_fallback(config, i, err);
    if (status != SN_OK) {
      return status;
    }
  }
  return SN_OK;
}

static void fill(sn_arbiter *arbiter, const sn_arbiter_config *config) {
  for (int i = 0; i < arbiter->controller_count; i++) {
    arbiter->controllers[i] = (sn__controller){
        .policy = config->policies != NULL ? config->policies[i] : (sn_arbiter_controller){0},
        .connected = true,
        .request = {.next = SN__NONE},
        .notice = {.cause = SN__NONE, .next = SN__NONE}};
    arbiter->some_need_time |= arbiter->controllers[i].policy.acknowledge_ns > 0;
  }
  for (int i = 0; i < arbiter->resource_count; i++) {
    arbiter->resources[i] =
        (sn__resource){.owner = SN__NONE,
                       .reserved = SN__NONE,
                       .fallback = config->fallbacks != NULL ? config->fallbacks[i] : SN__NONE,
                       .former = SN__NONE,
                       .deadline_ns = SN_ARBITER_FOREVER,
                       .before = SN__NONE};
  }
}

sn_status sn__arbiter_create(sn_arena *arena, const sn_arbiter_config *config, sn_arbiter **out,
                             sn_error *err) {
  const sn_status status = check_config(config, err);
  if (status != SN_OK) {
    return status;
  }
  const size_t controller_count = sn_names_count(config->controllers);
  const size_t resource_count = sn_names_count(config->resources);
  size_t log_capacity = 1;
  while (log_capacity < (config->log_capacity == 0 ? LOG_CAPACITY : config->log_capacity)) {
    log_capacity *= 2;
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_arbiter *arbiter = SN_NEW(arena, sn_arbiter, 1);
  sn__controller *controllers = SN_NEW(arena, sn__controller, controller_count);
  sn__resource *resources = SN_NEW(arena, sn__resource, resource_count);
  sn__link *links = SN_NEW(arena, sn__link, controller_count * resource_count);
  sn_arbiter_change *log = SN_NEW(arena, sn_arbiter_change, log_capacity);
  if (arbiter == NULL || controllers == NULL || resources == NULL || links == NULL || log == NULL) {
    sn_arena_restore(arena, mark); /* all or nothing */
    return sn__fail(err, SN_ENOMEM, "arbiter: no room in arena '%s'", sn_arena_name(arena));
  }
  *arbiter = (sn_arbiter){.controller_names = config->controllers,
                          .resource_names = config->resources,
                          .controller_count = (int)controller_count,
                          .resource_count = (int)resource_count,
                          .all = sn_resource_set_first(resource_count),
                          .controllers = controllers,
                          .resources = resources,
                          .links = links,
                          .waiting = SN__NONE,
                          .notice_first = SN__NONE,
                          .notice_last = SN__NONE,
                          .deadline_ns = SN_ARBITER_FOREVER,
                          .cause = SN__NONE,
                          .log = log,
                          .log_capacity = log_capacity};
  fill(arbiter, config);
  *out = arbiter;
  return SN_OK;
}

static const sn__controller *controller_at(const sn_arbiter *arbiter, int controller) {
  SN_ASSERT(controller >= 0);
  SN_ASSERT(controller < arbiter->controller_count);
  return &arbiter->controllers[controller];
}

static const sn__resource *resource_at(const sn_arbiter *arbiter, int resource) {
  SN_ASSERT(resource >= 0);
  SN_ASSERT(resource < arbiter->resource_count);
  return &arbiter->resources[resource];
}

int64_t sn__arbiter_deadline_ns(const sn_arbiter *arbiter) {
  return arbiter->deadline_ns;
}

int sn__arbiter_owner(const sn_arbiter *arbiter, int resource) {
  return resource_at(arbiter, resource)->owner;
}

sn_resource_set sn__arbiter_owned(const sn_arbiter *arbiter, int controller) {
  return controller_at(arbiter, controller)->owned;
}

sn_resource_set sn__arbiter_wanted(const sn_arbiter *arbiter, int controller) {
  return controller_at(arbiter, controller)->wanted;
}

bool sn__arbiter_waiting(const sn_arbiter *arbiter, int controller, sn_arbiter_claim *claim) {
  const sn__controller *c = controller_at(arbiter, controller);
  if (c->request.state == SN__REQUEST_NONE) {
    return false;
  }
  if (claim != NULL) {
    *claim = c->request.claim;
  }
  return true;
}

bool sn__arbiter_is_connected(const sn_arbiter *arbiter, int controller) {
  return controller_at(arbiter, controller)->connected;
}

size_t sn__arbiter_former_owners(const sn_arbiter *arbiter, int resource, int *controllers,
                                 size_t capacity) {
  size_t count = 0;
  int i = resource_at(arbiter, resource)->former;
  while (i != SN__NONE) {
    if (count < capacity) {
      controllers[count] = i;
    }
    count++;
    i = arbiter->links[resource * arbiter->controller_count + i].older;
  }
  return count;
}

const sn_names *sn__arbiter_controllers(const sn_arbiter *arbiter) {
  return arbiter->controller_names;
}

const sn_names *sn__arbiter_resources(const sn_arbiter *arbiter) {
  return arbiter->resource_names;
}

bool sn__arbiter_read_change(const sn_arbiter *arbiter, uint64_t *cursor,
                             sn_arbiter_change *change) {
  const uint64_t count = arbiter->counts.changes;
  if (*cursor >= count) {
    return false;
  }
  if (count - *cursor > arbiter->log_capacity) {
    *cursor = count - arbiter->log_capacity;
  }
  *change = arbiter->log[*cursor & (arbiter->log_capacity - 1)];
  (*cursor)++;
  return true;
}

sn_arbiter_counts sn__arbiter_count(const sn_arbiter *arbiter) {
  return arbiter->counts;
}

const char *sn__arbiter_answer_text(sn_arbiter_answer answer) {
  static const char *const texts[] = {"no answer", "granted", "waiting",   "refused",
                                      "lost",      "expired", "cancelled", "invalid"};
  const unsigned i = (unsigned)answer;
  return i < sizeof texts / sizeof texts[0] ? texts[i] : "unknown answer";
}

const char *sn__arbiter_why_text(sn_arbiter_why why) {
  static const char *const texts[] = {"unchanged", "request",      "release", "disown",
                                      "drop",      "acknowledged", "died",    "hung",
                                      "malformed", "return",       "fallback"};
  const unsigned i = (unsigned)why;
  return i < sizeof texts / sizeof texts[0] ? texts[i] : "unknown cause";
}
