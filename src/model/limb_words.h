/** @file
 *  Internal: the meaning of words in the names of links and joints. */
#ifndef SN_MODEL_LIMB_WORDS_H
#define SN_MODEL_LIMB_WORDS_H

/** Meanings of words; a name has the sum of its words' meanings. */
enum {
  SN__WORD_LEFT = 1 << 0,
  SN__WORD_RIGHT = 1 << 1,
  SN__WORD_FRONT = 1 << 2,
  SN__WORD_MIDDLE = 1 << 3,
  SN__WORD_REAR = 1 << 4,
  SN__WORD_ARM = 1 << 5,
  SN__WORD_LEG = 1 << 6,
  SN__WORD_HEAD = 1 << 7,
  SN__WORD_TORSO = 1 << 8,
  SN__WORD_TAIL = 1 << 9,
  SN__WORD_FINGER = 1 << 10,  /**< part of a gripper */
  SN__WORD_TURN = 1 << 11,    /**< a joint that turns what is beyond it: not a jaw */
  SN__WORD_FEATURE = 1 << 12, /**< comes in pairs like fingers, but grips nothing: ears, wheels */
  SN__WORD_SENSOR = 1 << 13,
  SN__WORD_TOOL = 1 << 14, /**< a frame made to be the tip */
  SN__WORD_FOOT = 1 << 15,
  SN__WORD_HAND = 1 << 16, /**< more than a holder of sensors */

  SN__WORD_SIDES = SN__WORD_LEFT | SN__WORD_RIGHT,
  SN__WORD_ROWS = SN__WORD_FRONT | SN__WORD_MIDDLE | SN__WORD_REAR
};

/** Read a name. Words are separated by anything but letters, by digits and by a change to capital
 *  letters (`l_arm_2`, `LShoulderPitch`); a side may directly precede a word (`RARM`). The first
 * side and the first row count. */
unsigned sn__words_of(const char *name);

#endif
