/* What a test can tell the endpoints of fake_wire.c. */
#ifndef SN_FAKE_WIRE_H
#define SN_FAKE_WIRE_H

#include <stdatomic.h>

/* How many more responses find no reader of the client. */
extern atomic_int fake_wire_absences;

#endif
