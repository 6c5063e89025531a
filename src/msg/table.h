/** @file
 *  Internal: what the field tables share. */
#ifndef SN_MSG_TABLE_H
#define SN_MSG_TABLE_H

/** The fields of a type, for its initialiser. */
#define SN__FIELDS(table) .fields = (table), .field_count = sizeof(table) / sizeof((table)[0])

#endif
