#include "bus/families/servo_family.h"

#include <math.h>
#include <string.h>

#include "sinew/fault.h"

#define PI 3.14159265358979323846

static uint32_t little(const uint8_t *data, size_t size) {
  uint32_t value = 0;
  for (size_t i = 0; i < size; i++) {
    value |= (uint32_t)data[i] << 8 * i;
  }
  return value;
}

static uint32_t big(const uint8_t *data, size_t size) {
  uint32_t value = 0;
  for (size_t i = 0; i < size; i++) {
    value = value << 8 | data[i];
  }
  return value;
}

/* Sign and magnitude: the highest bit in use is the sign. */
static int32_t sign_and_magnitude(uint32_t value, unsigned sign_bit) {
  const int32_t magnitude = (int32_t)(value & ((1u << sign_bit) - 1u));
  return (value >> sign_bit & 1u) != 0 ? -magnitude : magnitude;
}

static int32_t twos_complement(uint32_t value, size_t size) {
  return size == 2 ? (int32_t)(int16_t)(uint16_t)value : (int32_t)value;
}

/* ---- Dynamixel X ---- */

static void dynamixel_state(const uint8_t *data, sn_servo_reading *out) {
  const double rpm = 0.229 * twos_complement(little(data + 2, 4), 4);
  *out = (sn_servo_reading){.counts = twos_complement(little(data + 6, 4), 4),
                            .velocity = rpm * 4096.0 / 60.0,
                            .load = twos_complement(little(data, 2), 2) / 1000.0};
}

static void dynamixel_supply(const uint8_t *data, sn_servo_reading *out) {
  out->has_supply = out->has_temperature = true;
  out->voltage = little(data, 2) / 10.0;
  out->temperature = data[2];
}

static size_t dynamixel_goal(int32_t counts, uint8_t *out) {
  for (size_t i = 0; i < 4; i++) {
    out[i] = (uint8_t)((uint32_t)counts >> 8 * i & 0xFF);
  }
  return 4;
}

static const sn_servo_baud dynamixel_bauds[] = {{9600, 0},    {57600, 1},   {115200, 2},
                                                {1000000, 3}, {2000000, 4}, {3000000, 5},
                                                {4000000, 6}, {0, 0}};

/* ---- Feetech ---- */

static void feetech_state(const uint8_t *data, uint32_t (*number)(const uint8_t *, size_t),
                          sn_servo_reading *out) {
  *out = (sn_servo_reading){.counts = sign_and_magnitude(number(data, 2), 15),
                            .velocity = sign_and_magnitude(number(data + 2, 2), 15),
                            .load = sign_and_magnitude(number(data + 4, 2), 10) / 1000.0,
                            .has_supply = true,
                            .voltage = data[6] / 10.0,
                            .has_temperature = true,
                            .temperature = data[7]};
}

static void sts_state(const uint8_t *data, sn_servo_reading *out) {
  feetech_state(data, little, out);
}

static void scs_state(const uint8_t *data, sn_servo_reading *out) {
  feetech_state(data, big, out);
}

static size_t sts_goal(int32_t counts, uint8_t *out) {
  const uint32_t raw = counts < 0 ? (uint32_t)-counts | 0x8000u : (uint32_t)counts;
  out[0] = (uint8_t)(raw & 0xFF);
  out[1] = (uint8_t)(raw >> 8);
  return 2;
}

static size_t scs_goal(int32_t counts, uint8_t *out) {
  out[0] = (uint8_t)((uint32_t)counts >> 8);
  out[1] = (uint8_t)((uint32_t)counts & 0xFF);
  return 2;
}

static const sn_servo_baud feetech_bauds[] = {{1000000, 0}, {500000, 1}, {250000, 2},
                                              {128000, 3},  {115200, 4}, {76800, 5},
                                              {57600, 6},   {38400, 7},  {0, 0}};

/* ---- HerkuleX ---- */

static const double HERKULEX_TICK_S = 0.0112;

static void herkulex_state(const uint8_t *data, sn_servo_reading *out) {
  const int32_t step = twos_complement(little(data + 4, 2), 2);
  const int32_t absolute = (int32_t)(little(data + 2, 2) & 0x3FF);
  const int32_t counts = (int32_t)(little(data, 2) & 0x3FF); /* ten bits */
  *out = (sn_servo_reading){.counts = counts,
                            .check = absolute - counts,
                            .velocity = step / HERKULEX_TICK_S,
                            .load = twos_complement(little(data + 6, 2), 2) / 1023.0};
}

/* Its converter of 8 bits measures a thermistor of 10 kΩ (B = 3435 K) that pulls up against 10 kΩ.
   The limit as delivered, 0xDF, is meant as 85 °C; tables of its users agree with
   the curve to half a degree from 0 to 100 °C. */
static double herkulex_celsius(uint8_t raw) {
  static const double ZERO_K = 273.15, ROOM_K = 298.15, B_K = 3435.0;
  const double share = (raw == 0 ? 0.5 : raw) / 256.0;
  return 1.0 / (1.0 / ROOM_K + log(1.0 / share - 1.0) / B_K) - ZERO_K;
}

static void herkulex_supply(const uint8_t *data, sn_servo_reading *out) {
  out->has_supply = out->has_temperature = true;
  out->voltage = 0.074 * data[0];
  out->temperature = herkulex_celsius(data[1]);
}

static size_t herkulex_goal(int32_t counts, uint8_t *out) {
  out[0] = (uint8_t)((uint32_t)counts & 0xFF);
  out[1] = (uint8_t)((uint32_t)counts >> 8 & 0x7F);
  out[2] = 0; /* position control, no lamp */
  return 3;
}

static const sn_servo_baud herkulex_bauds[] = {{1000000, 0x01}, {666666, 0x02}, {500000, 0x03},
                                               {400000, 0x04},  {250000, 0x07}, {200000, 0x09},
                                               {115200, 0x10},  {57600, 0x22},  {0, 0}};

static const sn_servo_family families[] = {
    {.name = "dynamixel",
     .protocol = &sn_bus_dynamixel,
     .counts_per_rad = 4096.0 / (2.0 * PI),
     .counts_centre = 2048,
     .counts_max = 4095,
     .has_sync_read = true,
     .state = {126, 10},
     .supply = {144, 3},
     .goal = {116, 4},
     .model = {0, 2},
     .fault = {70, 1},
     .watchdog = {98, 1},
     .watchdog_tick = 0.02,
     .id_address = 7,
     .baud_address = 8,
     .torque_address = 64,
     .torque_on = 1,
     .gain = {84, 2},
     .torque_limit = {100, 2},
     .torque_limit_full = 885.0,
     .bauds = dynamixel_bauds,
     .read_state = dynamixel_state,
     .read_supply = dynamixel_supply,
     .write_goal = dynamixel_goal},
    {.name = "feetech_sts",
     .protocol = &sn_bus_feetech,
     .counts_per_rad = 4096.0 / (2.0 * PI),
     .counts_centre = 2048,
     .counts_max = 4095,
     .has_sync_read = true,
     .state = {56, 8},
     .goal = {42, 2},
     .model = {3, 2},
     .lock = {55, 1},
     .id_address = 5,
     .baud_address = 6,
     .torque_address = 40,
     .torque_on = 1,
     .gain = {21, 1},
     .torque_limit = {48, 2},
     .torque_limit_full = 1000.0,
     .bauds = feetech_bauds,
     .read_state = sts_state,
     .write_goal = sts_goal},
    {.name = "feetech_scs",
     .protocol = &sn_bus_feetech,
     .counts_per_rad = 1023.0 / (300.0 * PI / 180.0),
     .counts_centre = 512,
     .counts_max = 1023,
     .is_big_endian = true,
     .state = {56, 8},
     .goal = {42, 2},
     .model = {3, 2},
     .lock = {48, 1},
     .id_address = 5,
     .baud_address = 6,
     .torque_address = 40,
     .torque_on = 1,
     .gain = {21, 1},
     .bauds = feetech_bauds,
     .read_state = scs_state,
     .write_goal = scs_goal},
    {.name = "herkulex",
     .protocol = &sn_bus_herkulex,
     .counts_per_rad = 180.0 / (PI * 0.325),
     .counts_centre = 512,
     .counts_max = 1023,
     .state = {58, 8},
     .supply = {54, 2},
     .model = {SN_BUS_EEP + 0, 2},
     .clear = {48, 2},
     .id_address = SN_BUS_EEP + 6,
     .baud_address = SN_BUS_EEP + 4,
     .torque_address = 52,
     .torque_on = 0x60,
     .gain = {24, 2},
     .torque_limit = {16, 2},
     .torque_limit_full = 1023.0,
     .bauds = herkulex_bauds,
     .read_state = herkulex_state,
     .read_supply = herkulex_supply,
     .write_goal = herkulex_goal},
};

size_t sn__servo_family_count(void) {
  return sizeof families / sizeof *families;
}

const sn_servo_family *sn__servo_family_at(size_t index) {
  SN_ASSERT(index < sizeof families / sizeof *families);
  return &families[index];
}

const sn_servo_family *sn__servo_family_find(const char *name) {
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    if (strcmp(families[i].name, name) == 0) {
      return &families[i];
    }
  }
  return NULL;
}

uint32_t sn__servo_get(const sn_servo_family *family, const uint8_t *data, size_t size) {
  return (family->is_big_endian ? big : little)(data, size);
}

void sn__servo_put(const sn_servo_family *family, uint32_t value, uint8_t *data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    data[family->is_big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i & 0xFF);
  }
}

bool sn__servo_is_fast(const sn_servo_family *family, const uint8_t *ping, size_t size) {
  /* e-Manual, "Fast Sync Read": X430 and X540 from version 45, X330 from 46, not the 2XL and 2XC */
  static const uint32_t XL430_2 = 1090, XC430_2 = 1160, FIRMWARE_MIN = 46;
  if ((family->protocol->kinds >> SN_BUS_FAST_SYNC_READ & 1u) == 0 || size < 3) {
    return false;
  }
  const uint32_t model = little(ping, 2);
  return ping[2] >= FIRMWARE_MIN && model != XL430_2 && model != XC430_2;
}

unsigned sn__servo_hardware_faults(uint8_t value) {
  return ((value & 0x01) != 0 ? SN_SERVO_FAULT_VOLTAGE : 0u) |
         ((value & 0x04) != 0 ? SN_SERVO_FAULT_TEMPERATURE : 0u) |
         ((value & 0x08) != 0 ? SN_SERVO_FAULT_POSITION : 0u) |
         ((value & 0x10) != 0 ? SN_SERVO_FAULT_ELECTRICAL : 0u) |
         ((value & 0x20) != 0 ? SN_SERVO_FAULT_OVERLOAD : 0u);
}
