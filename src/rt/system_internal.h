/** @file
 *  Internal: what a deployment asks of a system. */
#ifndef SN_RT_SYSTEM_INTERNAL_H
#define SN_RT_SYSTEM_INTERNAL_H

#include "sinew/system.h"

/** Remove a component: stop, clean up, disconnect and free it.
 *  @return SN_OK; SN_EBUSY: others use it, or the call comes from its own thread */
sn_status sn__system_remove(sn_system *system, sn_component *component, sn_error *err);

/** Connect a need, `component.requester`, to a peer that provides its service, `component`, or its
 *  operation, `component` or `component.operation`.
 *  @return SN_OK, SN_ENOENT, SN_EINVAL (other interface, other types, already connected) */
sn_status sn__system_require(sn_system *system, const char *need, const char *peer, sn_error *err);

sn_status sn__system_check(sn_system *system, sn_component_place *place, void *context,
                           sn_report *report);

/** Configure every component and clean up again, without starting anything, and report everything
 *  that makes sn_system_begin() fail while it configures. No component may be configured before.
 *  The configure hooks have no effect outside the process, so neither has this call.
 *  @param place  as for sn__system_check()
 *  @return SN_OK, SN_EINVAL or SN_ENOMEM
 *  RT: no.  Threads: any. */
sn_status sn__system_rehearse(sn_system *system, sn_component_place *place, void *context,
                              sn_report *report);

/** @return whether sn_system_begin() has started the components.  RT: yes.  Threads: any. */
bool sn__system_is_begun(const sn_system *system) SN_RT;

/** The start time of the components, the same for all, by the clock of the system. */
int64_t sn__system_begun_ns(const sn_system *system);

/** The number of the last change of a property, by whomever: 1, 2, …; 0: there was none.
 *  RT: yes.  Threads: any. */
SN_API uint64_t sn__system_change(const sn_system *system) SN_RT;

/** The number of the last change of one property, or of anything in it if it is a bag; 0: it has
 *  its initial value. @param property  of the table of the component's type
 *  RT: yes.  Threads: any that holds the system. */
SN_API uint64_t sn__property_change(const sn_component *component,
                                    const sn_property *property) SN_RT;

/** Of messages whose ports do not set one.  RT: yes.  Threads: any. */
SN_API sn_msg_capacity sn__system_capacity(const sn_system *system) SN_RT;

/** Attach the text from which this system can be built again, as sn_deployment_print() returns it;
 *  recordings contain it. Copied. @return SN_OK or SN_ENOMEM.  RT: no.  Threads: any. */
sn_status sn__system_set_description(sn_system *system, const char *text);

/** NULL if none was set. RT: no.  Threads: any, while no thread sets it. */
const char *sn__system_description(const sn_system *system);

#endif
