/** @file
 *  Internal: the plausible voltage of the battery. */
#ifndef SN_SERVO_BATTERY_H
#define SN_SERVO_BATTERY_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/component.h"

/** A member of a component's struct, with the two properties. */
typedef struct sn__battery {
  double nominal;  /**< `battery_voltage`, V: used until one is measured */
  double lowest;   /**< `battery_voltage_min`, V: lower values are ignored */
  double measured; /**< V; 0: none yet */
  bool was_bad;    /**< the last value was invalid */
  sn_log_limit warnings;
} sn__battery;

/* NOLINTBEGIN(bugprone-macro-parentheses): names of members */
#define SN__BATTERY_PROPERTIES(type, member)                                                     \
  SN_PROPERTY(type, "battery_voltage", member.nominal, .initial = "12", .unit = "V", .min = 0.1, \
              .max = 10000, .flags = SN_PROPERTY_LIVE,                                           \
              .doc = "Battery voltage until one is measured."),                                  \
      SN_PROPERTY(type, "battery_voltage_min", member.lowest, .initial = "3", .unit = "V",       \
                  .min = 0.1, .max = 10000, .flags = SN_PROPERTY_LIVE,                           \
                  .doc = "Measured voltages below this are ignored.")
/* NOLINTEND(bugprone-macro-parentheses) */

/** Forget the measured voltage. RT: yes. */
void sn__battery_reset(sn__battery *battery) SN_RT;

/** Read the input. @return the voltage to use, V; > 0. RT: yes. */
double sn__battery_read(sn__battery *battery, sn_input *input, const sn_component *component,
                        int64_t now_ns) SN_RT;

#endif
