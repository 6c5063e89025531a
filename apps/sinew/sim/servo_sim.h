/** @file
 *  Servos on a simulated bus: registers, answers, faults, and motion by the servo model. Time is an
 *  argument, and bytes take time on the wire. Free of system calls, so millions of exchanges run in
 *  seconds; sim_pty.h connects it to a pseudo-terminal. */
#ifndef SN_SERVO_SIM_H
#define SN_SERVO_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ident/output_error/servo_log.h"
#include "sim/servo_wire.h"
#include "sinew/random.h"
#include "sinew/servo_model.h"

#define SIM_SERVOS_MAX 32

typedef enum sim_kind { SIM_DYNAMIXEL, SIM_FEETECH_STS, SIM_FEETECH_SCS, SIM_HERKULEX } sim_kind;

typedef struct sim_servo {
  uint8_t id;
  uint16_t model;
  bool is_unplugged;
  uint8_t faults;     /**< error byte of its answers; for Dynamixel the hardware errors */
  double temperature; /**< °C */
  uint8_t answers_as; /**< id in its answers; 0: its own */
  int64_t delay_ns;   /**< from request to answer */
  uint8_t ram[256], eep[256];
  bool torque;
  double goal;             /**< rad from the centre, in the servo's turns */
  int64_t goal_ns;         /**< time of the last goal */
  int64_t goal_changed_ns; /**< time of the last goal that differed from the one before */
  double goal_off; /**< distance of the last goal from the nearest position in the answers */
  uint64_t goal_count;
  double q, qd, pwm;
  int32_t counts;          /**< position register */
  int32_t answered_counts; /**< position in the last answer */
  int32_t
      answered[32]; /**< earlier ones: a host may accept a position only after a second answer */
  int64_t torque_on_ns, torque_off_ns;
  double goal_jump; /**< largest step of a goal while it had torque, from the last one or from q */
  double torque_on_jump; /**< largest |goal - q| when torque went on */
  double speed_max;      /**< largest |qd| so far */
  double torque_limit;   /**< 0 .. 1, as written */
  uint64_t reads;
  uint64_t watchdog_trips; /**< Dynamixel: how often its bus watchdog stopped it */
} sim_servo;

typedef struct servo_sim {
  sim_kind kind;
  wire_family family;
  sn_servo_params params; /**< at the gain that servos are delivered with; the delay is the bus's */
  sim_servo servos[SIM_SERVOS_MAX];
  size_t count;
  int64_t byte_ns;
  bool echoes;
  bool guards_ids;    /**< writes do not change ids: noise could do so otherwise */
  uint64_t id_writes; /**< writes of ids that were ignored */
  uint8_t firmware;   /**< Dynamixel: version; 38 */
  bool lacks_fast;    /**< does not know the fast sync read, whatever its version */
  bool is_strict;     /**< in a sync read, servos after a silent one do not answer */
  double corrupt;     /**< probability that a byte is changed, in either direction */
  double lose;        /**< probability that it is lost */
  double cut, lie;    /**< probabilities of a truncated answer, and of a length that is too large */
  uint64_t maimed;    /**< number of both */
  double voltage, sag; /**< of the supply, and its drop per loaded servo */
  double supply;       /**< V without load */
  sn__pendulum load;   /**< on every servo, hanging down in its centre; mass 0: 0.01 kg m2 */
  sn_random random;
  int64_t now_ns;       /**< time up to which servos have moved */
  int64_t physics_ns;   /**< step of the servo model */
  wire_request request; /**< baud rate in effect */
  uint8_t in[4096];
  size_t in_count;
  uint8_t out[8192];
  int64_t out_ns[8192]; /**< when each byte has arrived */
  size_t out_count;
  int64_t heard_ns;    /**< time of the last request */
  int64_t line_ns;     /**< the line is busy until then */
  uint8_t play_time;   /**< HerkuleX: of the last jog */
  uint64_t fast_reads; /**< asked for */
  uint64_t corrupted, lost, requests;
} servo_sim;

void servo_sim_init(servo_sim *sim, sim_kind kind, int64_t baud, uint64_t seed);
sim_servo *servo_sim_add(servo_sim *sim, uint8_t id, uint16_t model);
/** The host sends bytes at @p now_ns. */
void servo_sim_receive(servo_sim *sim, const uint8_t *bytes, size_t count, int64_t now_ns);
/** Take bytes that have arrived at the host. @return their number */
size_t servo_sim_transmit(servo_sim *sim, int64_t now_ns, uint8_t *out, size_t size);
/** Time of arrival of the next @p chunk bytes, or of all pending ones; INT64_MAX: none is pending.
 */
int64_t servo_sim_next_ns(const servo_sim *sim, size_t chunk);
/** Moves every servo until @p now_ns. */
void servo_sim_advance(servo_sim *sim, int64_t now_ns);

/** The gain register of a servo over the one that it is delivered with. */
double sim_gain(const servo_sim *sim, const sim_servo *servo);
double sim_counts_per_rad(sim_kind kind);
double sim_centre(sim_kind kind);

/* servo_sim_registers.c */
void sim_deliver(const servo_sim *sim, sim_servo *servo); /**< registers as delivered */
void sim_refresh(servo_sim *sim, sim_servo *servo);       /**< registers from the motion */
/** Apply written registers to the servo. */
void sim_apply(servo_sim *sim, sim_servo *servo, bool is_eep, size_t address, size_t size,
               int64_t now_ns);
/** Dynamixel: the bus watchdog stops a servo without requests; it then rejects writes to @p
 * address. */
void sim_watch(servo_sim *sim, sim_servo *servo, int64_t now_ns);
bool sim_refuses(const servo_sim *sim, const sim_servo *servo, size_t address, size_t size);
void sim_set_goal(servo_sim *sim, sim_servo *servo, int counts, int64_t now_ns);

#endif
