/** @file
 *  Internal: macros of the field tables. */
#ifndef SN_MSG_TABLE_H
#define SN_MSG_TABLE_H

/** The fields of a type, for its initialiser. */
#define SN__FIELDS(table) .fields = (table), .field_count = sizeof(table) / sizeof((table)[0])

/** The names of a part of a service or an action; @p folder is `srv` or `action`. */
#define SN__PART_NAMES(package, folder, type_name)          \
  .name = "" type_name, .ros1_name = package "/" type_name, \
  .ros2_name = package "/" folder "/" type_name,            \
  .dds_name = package "::" folder "::dds_::" type_name "_"

/** The names of a goal, result or feedback that is the same in both graphs: `NamePart` in ROS 1,
 *  `Name_Part` in ROS 2. */
#define SN__ACTION_PART_NAMES(package, action, part)         \
  .name = action part, .ros1_name = package "/" action part, \
  .ros2_name = package "/action/" action "_" part,           \
  .dds_name = package "::action::dds_::" action "_" part "_"

/** The constants of a type, for its initialiser. */
#define SN__CONSTANTS(table) \
  .constants = (table), .constant_count = sizeof(table) / sizeof((table)[0])

#endif
