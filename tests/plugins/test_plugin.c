/* The components of tests/support/components.h as a plugin. */
#include "components.h"

SN_API extern const sn_component_type *const sn_component_plugin[];

#define sn_test_components sn_component_plugin
#include "components.c" /* NOLINT(bugprone-suspicious-include): the same table, exported */
