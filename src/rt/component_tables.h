/** @file
 *  Internal: fields of a component type whose tables have the usual names. */
#ifndef SN_RT_COMPONENT_TABLES_H
#define SN_RT_COMPONENT_TABLES_H

#define SN__COMPONENT_TABLES \
  .properties = properties, .ports = ports, .operations = operations, .needs = needs

#endif
