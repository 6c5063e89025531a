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

/** An item of `servo_models`, or `default_servo_model`, which has no name. */
typedef struct sn__servo_item {
  const char *name;
  double kp, kgear;
  sn_reals alpha; /**< four, or none: unknown */
  double qs, delta, inertia, torque_max;
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

/** The parameters of an item. RT: yes. */
sn_servo_params sn__servo_item_params(const sn__servo_item *item) SN_RT;

/** Convert parameters from and to a message, without the name.
 *  RT: yes. */
sn_servo_params sn__servo_msg_params(const sn_servo_model *msg) SN_RT;
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
