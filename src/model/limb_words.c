#include "model/limb_words.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LEFT SN__WORD_LEFT
#define RIGHT SN__WORD_RIGHT
#define FRONT SN__WORD_FRONT
#define MIDDLE SN__WORD_MIDDLE
#define REAR SN__WORD_REAR

typedef struct word {
  const char *text;
  unsigned meaning;
} word;

static const word directions[] = {
    {"left", LEFT},        {"lft", LEFT},          {"l", LEFT},
    {"right", RIGHT},      {"rgt", RIGHT},         {"r", RIGHT},
    {"front", FRONT},      {"fore", FRONT},        {"middle", MIDDLE},
    {"mid", MIDDLE},       {"rear", REAR},         {"hind", REAR},
    {"fl", FRONT | LEFT},  {"fr", FRONT | RIGHT},  {"rl", REAR | LEFT},
    {"rr", REAR | RIGHT},  {"hl", REAR | LEFT},    {"hr", REAR | RIGHT},
    {"bl", REAR | LEFT},   {"br", REAR | RIGHT},   {"ml", MIDDLE | LEFT},
    {"lm", MIDDLE | LEFT}, {"mr", MIDDLE | RIGHT}, {"rm", MIDDLE | RIGHT},
    {"lf", FRONT | LEFT},  {"rf", FRONT | RIGHT},  {"lh", REAR | LEFT},
    {"rh", REAR | RIGHT},  {"lb", REAR | LEFT},    {"rb", REAR | RIGHT},
    {"lr", REAR | LEFT},
};

static const word parts[] = {
    {"arm", SN__WORD_ARM},
    {"uarm", SN__WORD_ARM},
    {"larm", SN__WORD_ARM | LEFT},
    {"farm", SN__WORD_ARM},
    {"forearm", SN__WORD_ARM},
    {"shoulder", SN__WORD_ARM},
    {"elbow", SN__WORD_ARM},
    {"wrist", SN__WORD_ARM | SN__WORD_TURN},
    {"leg", SN__WORD_LEG},
    {"hip", SN__WORD_LEG},
    {"thigh", SN__WORD_LEG},
    {"knee", SN__WORD_LEG},
    {"calf", SN__WORD_LEG},
    {"shank", SN__WORD_LEG},
    {"ankle", SN__WORD_LEG},
    {"haa", SN__WORD_LEG},
    {"hfe", SN__WORD_LEG},
    {"kfe", SN__WORD_LEG},
    {"coxa", SN__WORD_LEG},
    {"femur", SN__WORD_LEG},
    {"tibia", SN__WORD_LEG},
    {"foot", SN__WORD_LEG | SN__WORD_FOOT},
    {"feet", SN__WORD_LEG | SN__WORD_FOOT},
    {"hoof", SN__WORD_LEG | SN__WORD_FOOT},
    {"sole", SN__WORD_LEG | SN__WORD_FOOT},
    {"toe", SN__WORD_LEG | SN__WORD_FOOT},
    {"head", SN__WORD_HEAD},
    {"neck", SN__WORD_HEAD},
    {"torso", SN__WORD_TORSO},
    {"waist", SN__WORD_TORSO},
    {"spine", SN__WORD_TORSO},
    {"chest", SN__WORD_TORSO},
    {"trunk", SN__WORD_TORSO},
    {"back", SN__WORD_TORSO | REAR},
    {"tail", SN__WORD_TAIL},
    {"gripper", SN__WORD_FINGER},
    {"grip", SN__WORD_FINGER},
    {"finger", SN__WORD_FINGER},
    {"fingers", SN__WORD_FINGER},
    {"thumb", SN__WORD_FINGER},
    {"jaw", SN__WORD_FINGER},
    {"claw", SN__WORD_FINGER},
    {"pincer", SN__WORD_FINGER},
    {"knuckle", SN__WORD_FINGER},
    {"roll", SN__WORD_TURN},
    {"pitch", SN__WORD_TURN},
    {"yaw", SN__WORD_TURN},
    {"rotate", SN__WORD_TURN},
    {"rotation", SN__WORD_TURN},
    {"twist", SN__WORD_TURN},
    {"base", SN__WORD_TURN},
    {"palm", SN__WORD_TURN},
    {"ear", SN__WORD_FEATURE},
    {"eye", SN__WORD_FEATURE},
    {"eyes", SN__WORD_FEATURE},
    {"eyelid", SN__WORD_FEATURE},
    {"brow", SN__WORD_FEATURE},
    {"antenna", SN__WORD_FEATURE},
    {"horn", SN__WORD_FEATURE},
    {"flap", SN__WORD_FEATURE},
    {"fin", SN__WORD_FEATURE},
    {"wing", SN__WORD_FEATURE},
    {"rotor", SN__WORD_FEATURE},
    {"propeller", SN__WORD_FEATURE},
    {"wheel", SN__WORD_FEATURE},
    {"caster", SN__WORD_FEATURE},
    {"camera", SN__WORD_SENSOR},
    {"cam", SN__WORD_SENSOR},
    {"stereo", SN__WORD_SENSOR},
    {"optical", SN__WORD_SENSOR},
    {"depth", SN__WORD_SENSOR},
    {"rgb", SN__WORD_SENSOR},
    {"rgbd", SN__WORD_SENSOR},
    {"kinect", SN__WORD_SENSOR},
    {"realsense", SN__WORD_SENSOR},
    {"laser", SN__WORD_SENSOR},
    {"lidar", SN__WORD_SENSOR},
    {"hokuyo", SN__WORD_SENSOR},
    {"velodyne", SN__WORD_SENSOR},
    {"sonar", SN__WORD_SENSOR},
    {"range", SN__WORD_SENSOR},
    {"imu", SN__WORD_SENSOR},
    {"gyro", SN__WORD_SENSOR},
    {"accelerometer", SN__WORD_SENSOR},
    {"gps", SN__WORD_SENSOR},
    {"sensor", SN__WORD_SENSOR},
    {"microphone", SN__WORD_SENSOR},
    {"led", SN__WORD_SENSOR},
    {"tool", SN__WORD_TOOL},
    {"tcp", SN__WORD_TOOL},
    {"ee", SN__WORD_TOOL},
    {"eef", SN__WORD_TOOL},
    {"effector", SN__WORD_TOOL},
    {"endpoint", SN__WORD_TOOL},
    {"hand", SN__WORD_HAND},
    {"flange", SN__WORD_HAND},
};

static unsigned find_in(const word *table, size_t count, const char *token) {
  for (size_t i = 0; i < count; i++) {
    if (table[i].text[0] == token[0] && strcmp(table[i].text, token) == 0) {
      return table[i].meaning;
    }
  }
  return 0;
}

#define FIND_IN(table, token) find_in((table), sizeof(table) / sizeof *(table), (token))

static unsigned meaning_of(const char *token) {
  static const word sides[] = {{"left", LEFT}, {"right", RIGHT}, {"l", LEFT}, {"r", RIGHT}};
  unsigned meaning = FIND_IN(directions, token);
  meaning = meaning == 0 ? FIND_IN(parts, token) : meaning;
  for (size_t i = 0; meaning == 0 && i < sizeof sides / sizeof *sides; i++) {
    const size_t length = strlen(sides[i].text);
    const unsigned rest =
        strncmp(token, sides[i].text, length) == 0 ? FIND_IN(parts, token + length) : 0;
    meaning = rest == 0 ? 0 : rest | sides[i].meaning;
  }
  return meaning;
}

/* The first side and the first row of a name count. */
static unsigned join(unsigned known, unsigned more) {
  more &= ~((known & SN__WORD_SIDES) != 0 ? (unsigned)SN__WORD_SIDES : 0u);
  more &= ~((known & SN__WORD_ROWS) != 0 ? (unsigned)SN__WORD_ROWS : 0u);
  return known | more;
}

static bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

/* Does a word begin at `at`, which is a letter and not the first of the name? */
static bool begins_word(const char *at) {
  return !(is_upper(at[-1]) || is_lower(at[-1])) || (is_lower(at[-1]) && is_upper(at[0])) ||
         (is_upper(at[-1]) && is_upper(at[0]) && is_lower(at[1]));
}

unsigned sn__words_of(const char *name) {
  enum { TOKEN_SIZE = 24 }; /* longer than every word of the tables */
  char token[TOKEN_SIZE];
  size_t length = 0;
  unsigned meaning = 0;
  for (const char *at = name;; at++) {
    const bool is_letter = is_upper(*at) || is_lower(*at);
    const bool ends = length > 0 && (!is_letter || begins_word(at));
    if (ends) {
      token[length < TOKEN_SIZE ? length : TOKEN_SIZE - 1] = '\0';
      const bool is_number = length == 1 && *at >= '0' && *at <= '9'; /* l1 is a link */
      const bool is_word = length < TOKEN_SIZE && !is_number;
      meaning = join(meaning, is_word ? meaning_of(token) : 0);
      length = 0;
    }
    if (*at == '\0') {
      return meaning;
    }
    if (is_letter) {
      if (length < TOKEN_SIZE) {
        token[length] = (char)(is_upper(*at) ? *at - 'A' + 'a' : *at);
      }
      length++;
    }
  }
}
