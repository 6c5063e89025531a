/** @file
 *  Internal: the servo models of a component: from the property `servo_models`, from a file,
 *  and from one model for all other servos. */
#ifndef SN_SERVO_SERVO_SETUP_H
#define SN_SERVO_SERVO_SETUP_H

#include <stdbool.h>

#include "sinew/msg_types.h"
#include "sinew/names.h"
#include "sinew/property.h"
#include "sinew/servo_model.h"
#include "sinew/status.h"

/** As sn_servo_extension, in the form of properties. */
typedef struct sn__servo_item_extension {
  double back_emf, offset, drive_max, delay_s, backlash;
  sn_reals load, back_load; /**< two each, or none */
} sn__servo_item_extension;

/* NOLINTBEGIN(bugprone-macro-parentheses): names of members */
/** Its properties for a table of the items of @p type, as its @p member. */
#define SN__SERVO_EXTENSION_PROPERTIES(type, member)                                           \
  SN_PROPERTY(type, "back_emf", member.back_emf, .min = 0, .max = 1e12, .unit = "V·s/rad",     \
              .doc = "Part of alpha[0] that is back-EMF: a limp servo coasts without it."),    \
      SN_PROPERTY(type, "load_friction", member.load, .count_max = 2,                          \
                  .unit = "V/(N·m), V/(N·m)^2",                                                \
                  .doc = "Friction per torque and per its square; both or none."),             \
      SN_PROPERTY(type, "back_load_friction", member.back_load, .count_max = 2,                \
                  .unit = "V/(N·m), V/(N·m)^2",                                                \
                  .doc = "The same while the load drives the servo; none: as load_friction."), \
      SN_PROPERTY(type, "offset", member.offset, .unit = "rad",                                \
                  .doc = "Of the regulator: the servo aims at its goal and this."),            \
      SN_PROPERTY(type, "drive_max", member.drive_max, .min = 0, .max = 1e12, .unit = "",      \
                  .doc = "Limit of kp times error: the largest duty; 0: none."),               \
      SN_PROPERTY(type, "delay", member.delay_s, .min = 0, .max = 10, .unit = "s",             \
                  .doc = "From a goal to its effect."),                                        \
      SN_PROPERTY(type, "backlash", member.backlash, .min = 0, .max = 10, .unit = "rad",       \
                  .doc = "Play of the drive: up to half of it from its aim it does not push.")
/* NOLINTEND(bugprone-macro-parentheses) */

/** The extension of an item.
 *  @return SN_OK or SN_EINVAL: a list has neither two numbers nor none */
sn_status sn__servo_item_extend(const sn__servo_item_extension *item, const char *where,
                                sn_servo_extension *out, sn_error *err);

/** An item of `servo_models`, or `default_servo_model`, which has no name. */
typedef struct sn__servo_item {
  const char *name;
  double kp, kgear;
  sn_reals alpha; /**< four, or none: unknown */
  double qs, delta, inertia, torque_max;
  sn__servo_item_extension ext;
} sn__servo_item;

extern const sn_property sn__servo_item_table[];
extern const sn_property sn__servo_default_table[];

/** A member of a component's struct. */
typedef struct sn__servo_setup {
  sn_bags servo_models; /**< of sn__servo_item */
  const char *file;
  sn__servo_item others; /**< kp 0: unknown */
} sn__servo_setup;

/* NOLINTBEGIN(bugprone-macro-parentheses): names of members */
/** Its properties for the table of the component @p type, as its @p member. */
#define SN__SERVO_SETUP_PROPERTIES(type, member, models_flags)                                 \
  SN_PROPERTY_BAGS_OF(type, "servo_models", member.servo_models, sn__servo_item,               \
                      sn__servo_item_table, .flags = (models_flags),                           \
                      .doc = "Models of servos by the names of their joints."),                \
      SN_PROPERTY(type, "servo_models_file", member.file,                                      \
                  .flags = SN_PROPERTY_PATH | SN_PROPERTY_INPUT,                               \
                  .doc =                                                                       \
                      "YAML file with servo_models, which win over those of the property; it " \
                      "need not be there yet."),                                               \
      SN_PROPERTY_BAG_OF(type, "default_servo_model", member.others, sn__servo_default_table,  \
                         .doc = "Model of the servos that have none of their own.")
/* NOLINTEND(bugprone-macro-parentheses) */

/** The parameters of an item, without the extension. RT: yes. */
sn_servo_params sn__servo_item_params(const sn__servo_item *item) SN_RT;

/** Convert parameters from and to a message, without the name. Messages have no extension but the
 *  friction of load.
 *  RT: yes. */
sn_servo_params sn__servo_msg_params(const sn_servo_model *msg) SN_RT;
/** The extension that goes with a message: what it does not have is as before. */
sn_servo_extension sn__servo_msg_extension(const sn_servo_model *msg,
                                           const sn_servo_extension *before) SN_RT;
void sn__servo_msg_fill(sn_servo_model *msg, const sn_servo_params *params) SN_RT;

/** The model of each joint.
 *  @param params     out, one for each joint; an ideal servo if unknown
 *  @param has_model  out: is the model known? may be NULL
 *  @return SN_OK; SN_ENOENT: an unknown servo; SN_EINVAL: an invalid model or a duplicate servo; or
 *  the error of reading the file
 *  RT: no, reads a file. */
sn_status sn__servo_setup_read(const sn__servo_setup *setup, const sn_names *joints,
                               sn_servo_params *params, bool *has_model, sn_error *err);

#endif
