/** @file
 *  Generated robots with many joints. */
#ifndef SN_TEST_BIG_ROBOT_H
#define SN_TEST_BIG_ROBOT_H

#include <stddef.h>

/** Write `big.urdf` into a folder: @p chain_count arms side by side on one base, each of
 *  @p joint_count revolute joints and 1 m long. Joint J of arm C is `cC_jJ`, its link `cC_lJ`; the
 *  base is `base`. */
void big_robot_write(const char *folder, size_t chain_count, size_t joint_count);

/** The same as a text, which the caller free()s. */
char *big_robot_text(size_t chain_count, size_t joint_count);

#endif
