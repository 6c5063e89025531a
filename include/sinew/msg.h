/** @file
 *  Messages: every type is declared once, by a table of fields. Everything else is derived from the
 *  table: memory at connection, copies, comparison, text, JSON, the wire formats of ROS 1 and ROS 2
 *  and their schemas (msg_wire.h).
 *
 *  A message is a plain struct in one block with the memory of its texts and sequences, whose
 *  capacity is fixed at creation. Code on the real-time path reads and writes the struct. The types
 *  of Sinew are in msg_types.h; declare others the same way. */
#ifndef SINEW_MSG_H
#define SINEW_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/names.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/* ---- names in a message ----
 *
 * Those of a shared table, or texts of the message's own. Inside a process names come from a table
 * made at configuration, and a list is one pointer: equal pointers mean the same names in the same
 * order. Names that came over a wire are copied into room that the list was given when its message
 * was created. Readers need not care which. */

/** Read `table` and `count`; the rest is private. All zero is an empty list without room. */
typedef struct sn_msg_names {
  const sn_names *table; /**< all of its names, in its order; NULL: own texts */
  size_t count;          /**< names in the list */
  size_t capacity;       /**< own names at most */
  uint32_t *starts;      /**< [capacity] where each own text begins in text */
  char *text;            /**< own texts, each with its NUL, one behind the other */
  size_t text_count;     /**< bytes used of text; 0 with a table */
  size_t text_capacity;  /**< bytes of text */
} sn_msg_names;

/** @return the name at @p index, which must be less than list->count. Own texts live until the list
 *  changes. RT: yes.  Threads: those of the message. */
SN_API const char *sn_msg_names_at(const sn_msg_names *list, size_t index) SN_RT;

/** Forget all names. RT: yes.  Threads: owner of the message. */
SN_API void sn_msg_names_clear(sn_msg_names *list) SN_RT;

/** The names of @p table from now on, which must outlive every message that they are copied to.
 *  NULL clears the list. RT: yes, O(1).  Threads: owner. */
SN_API void sn_msg_names_share(sn_msg_names *list, const sn_names *table) SN_RT;

/** Append a copy of @p length bytes of @p text, which hold no NUL. A list with a table is cleared
 *  first.
 *  @return SN_OK, or SN_ENOSPC and an unchanged list
 *  RT: yes, O(length).  Threads: owner. */
SN_API sn_status sn_msg_names_add(sn_msg_names *list, const char *text, size_t length) SN_RT;

/** Become what @p from is: the same table, or copies of its texts.
 *  @return SN_OK, or SN_ENOSPC and an unchanged list
 *  RT: yes, O(1) with a table.  Threads: owner of both. */
SN_API sn_status sn_msg_names_copy(sn_msg_names *list, const sn_msg_names *from) SN_RT;

/* ---- types ---- */

/** Type of one element of a field. */
typedef enum sn_msg_kind {
  SN_MSG_BOOL,
  SN_MSG_INT8,
  SN_MSG_UINT8,
  SN_MSG_INT16,
  SN_MSG_UINT16,
  SN_MSG_INT32,
  SN_MSG_UINT32,
  SN_MSG_INT64,
  SN_MSG_UINT64,
  SN_MSG_FLOAT32,
  SN_MSG_FLOAT64,
  SN_MSG_TIME,     /**< int64_t nanoseconds since the epoch of the clock */
  SN_MSG_DURATION, /**< int64_t nanoseconds */
  SN_MSG_TEXT,     /**< sn_msg_text; a sequence of texts is an sn_msg_names */
  SN_MSG_NESTED    /**< a struct with its own type */
} sn_msg_kind;

/** Number of elements. */
typedef enum sn_msg_shape {
  SN_MSG_SINGLE,
  SN_MSG_ARRAY,   /**< a fixed number, stored in the struct; not of texts */
  SN_MSG_SEQUENCE /**< any number up to a capacity: pointer, count, capacity */
} sn_msg_shape;

/** Flags of a field. */
enum {
  SN_MSG_MAY_BE_NAN = 1, /**< NaN means "not measured" */
  SN_MSG_ROS1_ONLY = 2,  /**< only on the wire of ROS 1, always zero; not in the struct */
  SN_MSG_BYTE = 4        /**< of SN_MSG_UINT8: the type is `byte` in ROS, not `uint8` */
};

typedef struct sn_msg_type sn_msg_type;

/** One field, in the order of the wire. Made by the macros below. */
typedef struct sn_msg_field {
  const char *name; /**< on every wire */
  sn_msg_kind kind;
  sn_msg_shape shape;
  unsigned flags;
  size_t offset;             /**< in the struct */
  size_t size;               /**< bytes of one element in memory */
  size_t count;              /**< elements of an array; at most so many elements of a sequence or
                                  bytes of a single text, 0: any number */
  const sn_msg_type *nested; /**< of SN_MSG_NESTED */
  const char *unit;          /**< "" if it has none */
} sn_msg_field;

/** A named value in the definition of a type, as in ROS. */
typedef struct sn_msg_constant {
  const char *name;
  sn_msg_kind kind; /**< an integer kind */
  int64_t value;
} sn_msg_constant;

/** One type; constant data, never created at run time. */
struct sn_msg_type {
  const char *name;      /**< `JointState` */
  const char *ros1_name; /**< `sensor_msgs/JointState` */
  const char *ros2_name; /**< `sensor_msgs/msg/JointState` */
  const char *dds_name;  /**< `sensor_msgs::msg::dds_::JointState_` */
  const char *brief;     /**< one line */
  size_t size;           /**< of the struct */
  bool is_flat;          /**< no texts, no sequences, no padding: memcpy() copies it */
  const sn_msg_field *fields;
  size_t field_count;
  const sn_msg_constant *constants;
  size_t constant_count;
};

/** A text of bounded length; set it with sn_msg_text_set(). */
typedef struct sn_msg_text {
  char *data;      /**< ends with a NUL */
  size_t count;    /**< bytes without the NUL */
  size_t capacity; /**< bytes without the NUL */
} sn_msg_text;

/** Define a sequence type. Elements 0 .. count-1 are valid. The owner sets count, up to the
 *  capacity, which is fixed. */
#define SN_SEQ_DEFINE(seq, type)                                 \
  typedef struct seq {                                           \
    type *data; /* NOLINT(bugprone-macro-parentheses): a type */ \
    size_t count;                                                \
    size_t capacity;                                             \
  } seq

SN_SEQ_DEFINE(sn_seq_bool, bool);
SN_SEQ_DEFINE(sn_seq_i8, int8_t);
SN_SEQ_DEFINE(sn_seq_u8, uint8_t);
SN_SEQ_DEFINE(sn_seq_i16, int16_t);
SN_SEQ_DEFINE(sn_seq_u16, uint16_t);
SN_SEQ_DEFINE(sn_seq_i32, int32_t);
SN_SEQ_DEFINE(sn_seq_u32, uint32_t);
SN_SEQ_DEFINE(sn_seq_i64, int64_t);
SN_SEQ_DEFINE(sn_seq_u64, uint64_t);
SN_SEQ_DEFINE(sn_seq_f32, float);
SN_SEQ_DEFINE(sn_seq_f64, double);

/** Capacity of a message. The same numbers apply to every field, also of nested types. */
typedef struct sn_msg_capacity {
  size_t item_count; /**< elements of each sequence, 1 .. SN_MSG_ITEMS_MAX; 0 means 64 */
  size_t text_size;  /**< bytes of each text with its NUL, 1 .. SN_MSG_TEXT_MAX; 0 means 64. A list
                          of names has item_count times as much for all of them */
} sn_msg_capacity;

#define SN_MSG_ITEMS_MAX 65536
#define SN_MSG_TEXT_MAX (16u << 20)

/** Bytes of the block of a message with this capacity; SIZE_MAX on overflow.
 *  @param capacity  NULL means all defaults; a fault if out of range
 *  RT: no.  Threads: any. */
SN_API size_t sn_msg_size(const sn_msg_type *type, const sn_msg_capacity *capacity);

/** Create a message with all fields zero or empty, in one block.
 *  @return the struct of the type, or NULL if the arena is exhausted
 *  RT: no, allocates.  Threads: one owner of the arena. */
SN_API void *sn_msg_create(sn_arena *arena, const sn_msg_type *type,
                           const sn_msg_capacity *capacity);

/** Set all fields to zero or empty. RT: yes.  Threads: owner of the message. */
SN_API void sn_msg_reset(const sn_msg_type *type, void *msg) SN_RT;

/** Copy every field. The capacities may differ; the messages must not be the same.
 *  @return SN_OK, or SN_ENOSPC if something does not fit: then @p to is unchanged
 *  RT: yes, O(bytes used).  Threads: owner of both. */
SN_API sn_status sn_msg_copy(const sn_msg_type *type, void *to, const void *from) SN_RT;

/** @return whether every number is finite, or NaN in a field where NaN means "not measured".
 *  RT: yes. */
SN_API bool sn_msg_is_finite(const sn_msg_type *type, const void *msg) SN_RT;

/** Set a text. @return SN_OK, or SN_ENOSPC: then unchanged. RT: yes.  Threads: owner. */
SN_API sn_status sn_msg_text_set(sn_msg_text *text, const char *value) SN_RT;

/** The four names of a type, for its initialiser. */
#define SN_MSG_TYPE_NAMES(package, type_name)               \
  .name = "" type_name, .ros1_name = package "/" type_name, \
  .ros2_name = package "/msg/" type_name, .dds_name = package "::msg::dds_::" type_name "_"

/** A field with numbers or texts, single or in a sequence; the member gives kind and shape. */
#define SN_MSG_FIELD(type, wire_name, member, field_unit)                            \
  {                                                                                  \
    .name = (wire_name), .kind = SN_MSG_KIND_OF(((type *)0)->member),                \
    .shape = SN_MSG_SHAPE_OF(((type *)0)->member), .offset = offsetof(type, member), \
    .size = SN_MSG_SIZE_OF(((type *)0)->member), .unit = (field_unit)                \
  }

/** A fixed array of numbers. */
#define SN_MSG_FIELD_ARRAY(type, wire_name, member, field_unit)                                 \
  {                                                                                             \
    .name = (wire_name), .kind = SN_MSG_KIND_OF(((type *)0)->member[0]), .shape = SN_MSG_ARRAY, \
    .offset = offsetof(type, member), .size = sizeof((type *)0)->member[0],                     \
    .count = sizeof((type *)0)->member / sizeof((type *)0)->member[0], .unit = (field_unit)     \
  }

/** An int64_t in nanoseconds; @p time_kind is SN_MSG_TIME or SN_MSG_DURATION. */
#define SN_MSG_FIELD_TIME(type, wire_name, member, time_kind)                   \
  {                                                                             \
    .name = (wire_name), .kind = (time_kind), .offset = offsetof(type, member), \
    .size = sizeof((type *)0)->member, .unit = "s"                              \
  }

/** A nested struct, or with SN_MSG_FIELD_NESTED_SEQ a sequence of nested structs. */
#define SN_MSG_FIELD_NESTED(type, wire_name, member, nested_type, field_unit)        \
  {                                                                                  \
    .name = (wire_name), .kind = SN_MSG_NESTED, .offset = offsetof(type, member),    \
    .size = sizeof((type *)0)->member, .nested = (nested_type), .unit = (field_unit) \
  }
#define SN_MSG_FIELD_NESTED_SEQ(type, wire_name, member, nested_type, field_unit) \
  {                                                                               \
    .name = (wire_name), .kind = SN_MSG_NESTED, .shape = SN_MSG_SEQUENCE,         \
    .offset = offsetof(type, member), .size = sizeof *((type *)0)->member.data,   \
    .nested = (nested_type), .unit = (field_unit)                                 \
  }

#define SN_MSG_KIND_OF(x)                \
  _Generic((x), bool                     \
           : SN_MSG_BOOL, sn_seq_bool    \
           : SN_MSG_BOOL, int8_t         \
           : SN_MSG_INT8, sn_seq_i8      \
           : SN_MSG_INT8, uint8_t        \
           : SN_MSG_UINT8, sn_seq_u8     \
           : SN_MSG_UINT8, int16_t       \
           : SN_MSG_INT16, sn_seq_i16    \
           : SN_MSG_INT16, uint16_t      \
           : SN_MSG_UINT16, sn_seq_u16   \
           : SN_MSG_UINT16, int32_t      \
           : SN_MSG_INT32, sn_seq_i32    \
           : SN_MSG_INT32, uint32_t      \
           : SN_MSG_UINT32, sn_seq_u32   \
           : SN_MSG_UINT32, int64_t      \
           : SN_MSG_INT64, sn_seq_i64    \
           : SN_MSG_INT64, uint64_t      \
           : SN_MSG_UINT64, sn_seq_u64   \
           : SN_MSG_UINT64, float        \
           : SN_MSG_FLOAT32, sn_seq_f32  \
           : SN_MSG_FLOAT32, double      \
           : SN_MSG_FLOAT64, sn_seq_f64  \
           : SN_MSG_FLOAT64, sn_msg_text \
           : SN_MSG_TEXT, sn_msg_names   \
           : SN_MSG_TEXT)

#define SN_MSG_SHAPE_OF(x)                 \
  _Generic((x), sn_seq_bool                \
           : SN_MSG_SEQUENCE, sn_seq_i8    \
           : SN_MSG_SEQUENCE, sn_seq_u8    \
           : SN_MSG_SEQUENCE, sn_seq_i16   \
           : SN_MSG_SEQUENCE, sn_seq_u16   \
           : SN_MSG_SEQUENCE, sn_seq_i32   \
           : SN_MSG_SEQUENCE, sn_seq_u32   \
           : SN_MSG_SEQUENCE, sn_seq_i64   \
           : SN_MSG_SEQUENCE, sn_seq_u64   \
           : SN_MSG_SEQUENCE, sn_seq_f32   \
           : SN_MSG_SEQUENCE, sn_seq_f64   \
           : SN_MSG_SEQUENCE, sn_msg_names \
           : SN_MSG_SEQUENCE, default      \
           : SN_MSG_SINGLE)

#define SN_MSG_SIZE_OF(x)                                                                    \
  _Generic((x), sn_seq_bool                                                                  \
           : sizeof(bool), sn_seq_i8 : 1, sn_seq_u8 : 1, sn_seq_i16 : 2, sn_seq_u16 : 2,     \
             sn_seq_i32 : 4, sn_seq_u32 : 4, sn_seq_i64 : 8, sn_seq_u64 : 8, sn_seq_f32 : 4, \
             sn_seq_f64 : 8, default                                                         \
           : sizeof(x))

SN_END_DECLS

#endif
