#include "xacro/scope.h"

#include <string.h>

#include "base/text.h"

/* ---- properties ---- */

sn__xscope *sn__xscope_make(sn__xacro *x, sn__xscope *parent, size_t bucket_count) {
  sn__xscope *scope = sn__xacro_alloc(x, sizeof *scope);
  sn__xproperty **buckets = sn__xacro_alloc(x, bucket_count * sizeof *buckets);
  if (scope == NULL || buckets == NULL) {
    return NULL;
  }
  *scope = (sn__xscope){.parent = parent, .bucket_count = bucket_count, .buckets = buckets};
  return scope;
}

sn__xscope *sn__xscope_make_call(sn__xacro *x, sn__xscope *space, const sn__xscope *caller) {
  sn__xscope *scope = sn__xscope_make(x, space, 1);
  if (scope != NULL) {
    scope->caller = caller;
  }
  return scope;
}

sn__xscope *sn__xscope_top(sn__xscope *scope) {
  while (scope->parent != NULL) {
    scope = scope->parent;
  }
  return scope;
}

static uint32_t hash_of(const char *name) {
  return sn__text_hash(name, SIZE_MAX);
}

/* In this scope only, also if it was removed. */
static sn__xproperty *entry_of(const sn__xscope *scope, const char *name, uint32_t hash) {
  sn__xproperty *property = scope->buckets[hash & (scope->bucket_count - 1)];
  while (property != NULL && (property->hash != hash || !sn__xml_same(property->name, name))) {
    property = property->next;
  }
  return property;
}

static sn__xproperty *find_here(const sn__xscope *scope, const char *name, uint32_t hash) {
  sn__xproperty *property = entry_of(scope, name, hash);
  return property == NULL || property->is_removed ? NULL : property;
}

static sn__xproperty *find(const sn__xscope *scope, const char *name, uint32_t hash,
                           const sn__xscope **owner) {
  for (; scope != NULL; scope = scope->parent) {
    sn__xproperty *property = find_here(scope, name, hash);
    if (property != NULL) {
      *owner = scope;
      return property;
    }
  }
  return NULL;
}

static void put(sn__xscope *scope, sn__xproperty *property) {
  sn__xproperty **bucket = &scope->buckets[property->hash & (scope->bucket_count - 1)];
  property->next = *bucket;
  *bucket = property;
}

static bool make_room(sn__xacro *x, sn__xscope *scope) {
  if (scope->count < 2 * scope->bucket_count) {
    return true;
  }
  const sn__xscope before = *scope;
  sn__xproperty **buckets = sn__xacro_alloc(x, 4 * before.bucket_count * sizeof(sn__xproperty *));
  if (buckets == NULL) {
    return false;
  }
  scope->buckets = buckets;
  scope->bucket_count = 4 * before.bucket_count;
  for (size_t i = 0; i < before.bucket_count; i++) {
    for (sn__xproperty *p = before.buckets[i], *next = NULL; p != NULL; p = next) {
      next = p->next;
      put(scope, p);
    }
  }
  return true;
}

static sn__xproperty *add(sn__xacro *x, sn__xscope *scope, const char *name) {
  const uint32_t hash = hash_of(name);
  sn__xproperty *property = entry_of(scope, name, hash);
  if (property == NULL) {
    property = sn__xacro_alloc(x, sizeof *property);
    if (property == NULL || !make_room(x, scope)) {
      return NULL;
    }
    *property = (sn__xproperty){.name = name, .hash = hash};
    put(scope, property);
    scope->count++;
  }
  property->node = x->node;
  property->is_pending = property->is_removed = false;
  return property;
}

bool sn__xscope_set(sn__xacro *x, sn__xscope *scope, const char *name, sn__xvalue value) {
  sn__xproperty *property = add(x, scope, name);
  if (property != NULL) {
    property->value = value;
  }
  return property != NULL;
}

bool sn__xscope_define(sn__xacro *x, sn__xscope *scope, const char *name, sn__xvalue value,
                       bool is_lazy) {
  sn__xproperty *property = add(x, scope, name);
  if (property == NULL) {
    return false;
  }
  const bool was_text = value.kind == SN__X_TEXT;
  property->value = was_text ? sn__xliteral(x, value.as.text) : value;
  property->is_pending = is_lazy && property->value.kind == SN__X_TEXT;
  return x->status == SN_OK;
}

bool sn__xscope_contains(const sn__xscope *scope, const char *name) {
  const sn__xscope *owner = NULL;
  return find(scope, name, hash_of(name), &owner) != NULL;
}

void sn__xscope_remove(sn__xscope *scope, const char *name) {
  const uint32_t hash = hash_of(name);
  for (; scope != NULL; scope = scope->parent) {
    sn__xproperty *property = find_here(scope, name, hash);
    if (property != NULL) {
      property->is_removed = true;
    }
  }
}

/* Evaluate the text of a property in the scope that has it. */
/* NOLINTNEXTLINE(misc-no-recursion): sn__xacro_enter() bounds it */
static bool resolve(sn__xacro *x, sn__xscope *owner, sn__xproperty *property) {
  if (property->is_resolving) {
    return sn__xacro_fail(x, SN_EMODEL, "lazy_eval=\"false\" evaluates it where it is defined",
                          "property '%.80s' is defined in terms of itself", property->name);
  }
  if (!sn__xacro_enter(x)) {
    return false;
  }
  const sn__xml_node *node = x->node;
  const char *attribute = x->attribute;
  const sn_origin used = sn__xacro_origin(x, "property", "used", property->name);
  x->origin = &used;
  x->node = property->node == NULL ? node : property->node;
  x->attribute = "value";
  property->is_resolving = true;
  sn__xvalue value = sn__xnone();
  const bool good = sn__xacro_eval(x, owner, property->value.as.text, &value);
  property->is_resolving = false;
  x->origin = used.place.origin;
  x->node = node;
  x->attribute = attribute;
  sn__xacro_leave(x);
  if (good) {
    property->value = value.kind == SN__X_TEXT ? sn__xliteral(x, value.as.text) : value;
    property->is_pending = false;
  }
  return good && x->status == SN_OK;
}

/* NOLINTNEXTLINE(misc-no-recursion): as above */
bool sn__xscope_get_hashed(sn__xacro *x, sn__xscope *scope, const char *name, uint32_t hash,
                           sn__xvalue *out, bool *is_found) {
  const sn__xscope *owner = NULL;
  sn__xproperty *property = find(scope, name, hash, &owner);
  if (property == NULL && scope != NULL && scope->caller != NULL) {
    property = find(scope->caller, name, hash, &owner);
  }
  *is_found = property != NULL;
  if (property == NULL) {
    return true;
  }
  if (property->is_pending && !resolve(x, (sn__xscope *)owner, property)) {
    return false;
  }
  *out = property->value;
  return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): as above */
bool sn__xscope_get(sn__xacro *x, sn__xscope *scope, const char *name, sn__xvalue *out,
                    bool *is_found) {
  return sn__xscope_get_hashed(x, scope, name, hash_of(name), out, is_found);
}

/* ---- macros ---- */

static sn__xmacro *macro_here(const sn__xmacros *macros, const char *name, size_t length,
                              uint32_t hash) {
  sn__xmacro *macro =
      macros->slot_count == 0 ? NULL : macros->slots[hash & (macros->slot_count - 1)];
  while (macro != NULL && (macro->hash != hash || strncmp(macro->name, name, length) != 0 ||
                           macro->name[length] != '\0')) {
    macro = macro->in_slot;
  }
  return macro;
}

/* In these macros or those around them. */
static const sn__xmacro *macro_around(const sn__xmacros *macros, const char *name, size_t length) {
  const uint32_t hash = sn__text_hash(name, length);
  const sn__xmacro *macro = NULL;
  for (; macro == NULL && macros != NULL; macros = macros->parent) {
    macro = macro_here(macros, name, length, hash);
  }
  return macro;
}

static void put_macro(sn__xmacros *macros, sn__xmacro *macro) {
  sn__xmacro **slot = &macros->slots[macro->hash & (macros->slot_count - 1)];
  macro->in_slot = *slot;
  *slot = macro;
}

static bool make_macro_room(sn__xacro *x, sn__xmacros *macros) {
  enum { FIRST = 16 };
  if (macros->count < macros->slot_count) {
    return true;
  }
  const size_t slot_count = macros->slot_count == 0 ? FIRST : 4 * macros->slot_count;
  sn__xmacro **slots = sn__xacro_alloc(x, slot_count * sizeof(sn__xmacro *));
  if (slots == NULL) {
    return false;
  }
  macros->slots = slots;
  macros->slot_count = slot_count;
  for (sn__xmacro *m = macros->first; m != NULL; m = m->next) {
    put_macro(macros, m);
  }
  return true;
}

sn__xmacro *sn__xmacros_put(sn__xacro *x, sn__xmacros *macros, const char *name) {
  const uint32_t hash = hash_of(name);
  sn__xmacro *macro = macro_here(macros, name, strlen(name), hash);
  if (macro != NULL) {
    *macro =
        (sn__xmacro){.name = name, .hash = hash, .next = macro->next, .in_slot = macro->in_slot};
    return macro;
  }
  macro = sn__xacro_alloc(x, sizeof *macro);
  if (macro == NULL || !make_macro_room(x, macros)) {
    return NULL;
  }
  *macro = (sn__xmacro){.name = name, .hash = hash, .next = macros->first};
  put_macro(macros, macro);
  macros->first = macro;
  macros->count++;
  return macro;
}

const sn__xmacro *sn__xmacros_find(const sn__xmacros *macros, const char *name,
                                   const sn__xmacro **space) {
  for (const char *dot = NULL; (dot = strchr(name, '.')) != NULL; name = dot + 1) {
    const sn__xmacro *entry = macro_around(macros, name, (size_t)(dot - name));
    if (entry == NULL || entry->space == NULL) {
      return NULL;
    }
    *space = entry;
    macros = entry->space;
  }
  const sn__xmacro *macro = macro_around(macros, name, strlen(name));
  return macro == NULL || macro->space != NULL ? NULL : macro;
}
