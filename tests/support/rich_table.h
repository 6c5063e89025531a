/** @file
 *  A table of properties with every kind, for tests and the fuzzer. */
#ifndef SN_TEST_RICH_TABLE_H
#define SN_TEST_RICH_TABLE_H

#include <math.h>

#include "sinew/property.h"

typedef struct rich_servo {
  const char *name;
  double kp;
  sn_reals alpha;
} rich_servo;

typedef struct rich_limits {
  double lower, upper;
  int64_t count;
} rich_limits;

typedef struct rich {
  int header; /* a member that is not a property */
  bool on;
  int64_t steps;
  double gain;
  const char *mode;
  const char *label;
  sn_reals gains;
  sn_texts names;
  const sn_value *tree;
  rich_limits limits;
  sn_bags servos;
} rich;

static const sn_property rich_servo_table[] = {
    SN_PROPERTY(rich_servo, "name", name, .flags = SN_PROPERTY_REQUIRED, .doc = "Of the joint."),
    SN_PROPERTY(rich_servo, "kp", kp, .initial = "5.5", .min = 0.0, .max = HUGE_VAL),
    SN_PROPERTY(rich_servo, "alpha", alpha, .initial = "[1, 2, 3, 4]", .count_min = 4,
                .count_max = 4),
    {0}};

static const sn_property rich_limits_table[] = {
    SN_PROPERTY(rich_limits, "lower", lower, .initial = "-1.5", .unit = "rad"),
    SN_PROPERTY(rich_limits, "upper", upper, .initial = "1.5", .unit = "rad"),
    SN_PROPERTY(rich_limits, "count", count, .min = -5.0, .max = 5.0),
    {0}};

static const sn_property rich_table[] = {
    SN_PROPERTY(rich, "on", on, .initial = "true"),
    SN_PROPERTY(rich, "steps", steps, .initial = "3"),
    SN_PROPERTY(rich, "gain", gain, .initial = "0.5", .min = 0.0, .max = 2.0, .unit = "1/s"),
    SN_PROPERTY(rich, "mode", mode, .initial = "slow", .choices = "slow|fast|careful"),
    SN_PROPERTY(rich, "label", label, .doc = "Any text."),
    SN_PROPERTY(rich, "gains", gains, .min = -10.0, .max = 10.0, .count_max = 5),
    SN_PROPERTY(rich, "names", names, .initial = "[left, right]"),
    SN_PROPERTY(rich, "tree", tree, .doc = "Anything."),
    SN_PROPERTY_BAG_OF(rich, "limits", limits, rich_limits_table, .initial = "{upper: 2}"),
    SN_PROPERTY_BAGS_OF(rich, "servos", servos, rich_servo, rich_servo_table, .doc = "All servos."),
    {0}};

#endif
