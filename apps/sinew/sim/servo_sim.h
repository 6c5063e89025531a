/** @file
 *  Servos on a simulated bus: registers, answers and their troubles, moved by the servo model.
 *  Time is an argument; bytes take their time on the wire. Pure, so that millions of exchanges run
 *  in seconds; sim_pty.h puts it behind a pseudo-terminal. */
#ifndef SN_SERVO_SIM_H
#define SN_SERVO_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/servo_wire.h"
#include "sinew/random.h"
#include "sinew/servo_model.h"

#define SIM_SERVOS_MAX 32

typedef enum sim_kind { SIM_DYNAMIXEL, SIM_FEETECH_STS, SIM_FEETECH_SCS, SIM_HERKULEX } sim_kind;

typedef struct sim_servo {
  uint8_t id;
  uint16_t model;
  bool is_unplugged;
  uint8_t faults;     /**< the error byte of its answers; of Dynamixel the hardware errors */
  double temperature; /**< °C */
  uint8_t answers_as; /**< says that it is another; 0: itself */
  int64_t delay_ns;   /**< from request to answer */
  uint8_t ram[256], eep[256];
  bool torque;
  double goal;             /**< rad from the centre, in the servo's turns */
  int64_t goal_ns;         /**< when the last goal came in */
  int64_t goal_changed_ns; /**< when the last came in that differed from the one before */
  double goal_off;         /**< how far the last was from the nearest of the positions answered */
  uint64_t goal_count;
  double q, qd, pwm;
  int32_t counts;          /**< what the position register holds */
  int32_t answered_counts; /**< what the last answer said */
  int32_t answered[32]; /**< and those before: who listens may believe an answer only by a second */
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
  sn_servo_params params;
  sim_servo servos[SIM_SERVOS_MAX];
  size_t count;
  int64_t byte_ns;
  bool echoes;
  bool guards_ids;     /**< writes do not change ids, which noise may do otherwise */
  uint64_t id_writes;  /**< that were kept off so */
  uint8_t firmware;    /**< Dynamixel: version; 38 */
  bool lacks_fast;     /**< does not know the fast sync read, whatever its version */
  bool is_strict;      /**< in a sync read nobody answers behind one who is silent */
  double corrupt;      /**< probability that a byte is another on arrival, either way */
  double lose;         /**< that it does not arrive */
  double cut, lie;     /**< that an answer ends early, that its length says more than there is */
  uint64_t maimed;     /**< how many did */
  double voltage, sag; /**< of the supply, and what it loses per servo with torque and load */
  sn_random random;
  int64_t now_ns;       /**< servos have moved until then */
  int64_t physics_ns;   /**< step of the servo model */
  wire_request request; /**< the one that is obeyed */
  uint8_t in[4096];
  size_t in_count;
  uint8_t out[8192];
  int64_t out_ns[8192]; /**< when each byte has arrived */
  size_t out_count;
  int64_t heard_ns;    /**< when the last request came in */
  int64_t line_ns;     /**< the line is taken until then */
  uint8_t play_time;   /**< HerkuleX: of the last jog */
  uint64_t fast_reads; /**< asked for */
  uint64_t corrupted, lost, requests;
} servo_sim;

void servo_sim_init(servo_sim *sim, sim_kind kind, int64_t baud, uint64_t seed);
sim_servo *servo_sim_add(servo_sim *sim, uint8_t id, uint16_t model);
/** The host puts bytes on the wire at @p now_ns. */
void servo_sim_receive(servo_sim *sim, const uint8_t *bytes, size_t count, int64_t now_ns);
/** Bytes that have arrived at the host. @return how many */
size_t servo_sim_transmit(servo_sim *sim, int64_t now_ns, uint8_t *out, size_t size);
/** When the next @p chunk bytes have arrived, or all that are on their way; INT64_MAX: none is. */
int64_t servo_sim_next_ns(const servo_sim *sim, size_t chunk);
/** Moves every servo until @p now_ns. */
void servo_sim_advance(servo_sim *sim, int64_t now_ns);

double sim_counts_per_rad(sim_kind kind);
double sim_centre(sim_kind kind);

/* servo_sim_registers.c */
void sim_refresh(servo_sim *sim, sim_servo *servo); /**< registers from the motion */
/** What was written changes the servo. */
void sim_apply(servo_sim *sim, sim_servo *servo, bool is_eep, size_t address, size_t size,
               int64_t now_ns);
/** Dynamixel: stop without a request for too long; then nothing may be written at @p address. */
void sim_watch(servo_sim *sim, sim_servo *servo, int64_t now_ns);
bool sim_refuses(const servo_sim *sim, const sim_servo *servo, size_t address, size_t size);
void sim_set_goal(servo_sim *sim, sim_servo *servo, int counts, int64_t now_ns);

#endif
