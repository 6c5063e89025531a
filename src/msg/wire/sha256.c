/* SHA-256 (FIPS 180-4), by which ROS 2 identifies types. */
#include "msg/wire/digest.h"

/* Names as in the standard: K are the first bits of the fractional parts of the cube roots of
   the first primes, the initial state those of the square roots. */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned turn) {
  return x >> turn | x << (32 - turn);
}

static void add_block(uint32_t *state, const uint8_t block[64]) {
  uint32_t W[64];
  for (size_t t = 0; t < 16; t++) {
    const uint8_t *at = block + 4 * t;
    W[t] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
  }
  for (size_t t = 16; t < 64; t++) {
    const uint32_t s0 = rotate(W[t - 15], 7) ^ rotate(W[t - 15], 18) ^ W[t - 15] >> 3;
    const uint32_t s1 = rotate(W[t - 2], 17) ^ rotate(W[t - 2], 19) ^ W[t - 2] >> 10;
    W[t] = s1 + W[t - 7] + s0 + W[t - 16];
  }
  uint32_t v[8]; /* a .. h */
  for (size_t i = 0; i < 8; i++) {
    v[i] = state[i];
  }
  for (size_t t = 0; t < 64; t++) {
    const uint32_t S1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
    const uint32_t T1 = v[7] + S1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + K[t] + W[t];
    const uint32_t S0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
    const uint32_t T2 = S0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    for (size_t i = 7; i > 0; i--) {
      v[i] = v[i - 1];
    }
    v[4] += T1;
    v[0] = T1 + T2;
  }
  for (size_t i = 0; i < 8; i++) {
    state[i] += v[i];
  }
}

const sn__digest_kind sn__sha256 = {.word_count = 8,
                                    .begin = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
                                    .add_block = add_block};
