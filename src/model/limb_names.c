/* Names for limbs: kind (arm, leg, head) and side, from the words in the names of their joints and
 * links, otherwise from structure and geometry, otherwise the name of the last link. x points
 * forward and y to the left, as in ROS (REP 103). */
#include <stdio.h>
#include <string.h>

#include "model/limb_tree.h"
#include "model/limb_words.h"

enum { NAME_SIZE = 128, LONG_LIMB = 5, LEGS_MIN = 4 };

/* Facts about a limb. */
typedef struct facts {
  unsigned kind;         /* SN__WORD_ARM and so on; 0: unknown */
  unsigned where;        /* sides and rows */
  const char *stem;      /* what the names of all its joints begin with; NULL: nothing */
  size_t stem_length;    /* without the separator */
  unsigned stem_words;   /* its meaning */
  bool stem_is_numbered; /* leg1 */
  char name[NAME_SIZE];
} facts;

static bool is_separator(char c) {
  return c == '_' || c == '-' || c == '/' || c == '.' || c == ' ';
}

/* What two names have in common, whole words only. */
static size_t common_stem(const char *a, const char *b, size_t length) {
  size_t i = 0;
  while (i < length && a[i] == b[i]) {
    i++;
  }
  if (i == length && is_separator(b[i])) {
    return i;
  }
  while (i > 0 && !is_separator(a[i])) {
    i--;
  }
  return i;
}

static void read_stem(facts *f) {
  char text[NAME_SIZE];
  snprintf(text, sizeof text, "%.*s", (int)f->stem_length, f->stem == NULL ? "" : f->stem);
  f->stem_words = sn__words_of(text);
  f->stem_is_numbered = strpbrk(text, "0123456789") != NULL;
}

/* Legs and arms have specific words; a word of the trunk may occur in any name. */
static unsigned kind_of(const size_t votes[static 5]) {
  static const unsigned kinds[] = {SN__WORD_LEG, SN__WORD_ARM, SN__WORD_HEAD, SN__WORD_TAIL,
                                   SN__WORD_TORSO};
  if (votes[0] > 0 && votes[0] >= votes[1]) {
    return kinds[0];
  }
  for (size_t i = 1; i < 5; i++) {
    if (votes[i] > 0) {
      return kinds[i];
    }
  }
  return 0;
}

static void count_votes(unsigned words, size_t votes[static 5]) {
  votes[0] += (words & SN__WORD_LEG) != 0 ? 1 : 0;
  votes[1] += (words & SN__WORD_ARM) != 0 ? 1 : 0;
  votes[2] += (words & SN__WORD_HEAD) != 0 ? 1 : 0;
  votes[3] += (words & SN__WORD_TAIL) != 0 ? 1 : 0;
  votes[4] += (words & SN__WORD_TORSO) != 0 ? 1 : 0;
}

/* The side and row that all joints, or all links, of a limb agree on. */
static unsigned agree(unsigned known, unsigned words, bool is_first) {
  const unsigned where = words & (SN__WORD_SIDES | SN__WORD_ROWS);
  return is_first ? where : known & where;
}

static void read_limb(const sn__limb_tree *tree, int limb, facts *f) {
  size_t votes[5] = {0};
  unsigned where_joints = 0, where_links = 0;
  bool is_first = true;
  for (int link = tree->limbs[limb].begin; link < tree->end[tree->limbs[limb].begin]; link++) {
    if (tree->owner[link] != limb || tree->leader[link] != link) {
      continue;
    }
    const char *name = sn__limb_joint(tree, link)->joint.name;
    const unsigned joint = sn__words_of(name);
    const unsigned words = sn__words_of(tree->build->model->links[link].name);
    count_votes(joint, votes);
    count_votes(words, votes);
    where_joints = agree(where_joints, joint, is_first);
    where_links = agree(where_links, words, is_first);
    f->stem_length = is_first ? strlen(name) : common_stem(f->stem, name, f->stem_length);
    f->stem = is_first ? name : f->stem;
    is_first = false;
  }
  f->kind = kind_of(votes);
  f->where = where_joints != 0 ? where_joints : where_links;
  if (tree->limbs[limb].joint_count < 2 || f->stem_length == 0) {
    f->stem = NULL;
  }
  read_stem(f);
}

/* Limbs that no word describes: four or more alike on one part are legs, a long one is an arm. */
static void guess_kind(const sn__limb_tree *tree, const facts *all, int limb, facts *f) {
  const sn__limb *l = &tree->limbs[limb];
  size_t alike = 0, others = 0;
  for (size_t i = 0; i < tree->limb_count; i++) {
    const sn__limb *other = &tree->limbs[i];
    alike += !other->is_gripper && all[i].kind == 0 && other->first == l->first &&
                     other->joint_count == l->joint_count && l->joint_count > 1
                 ? 1
                 : 0;
    others += !other->is_gripper && (int)i != limb ? 1 : 0;
  }
  if (alike >= LEGS_MIN) {
    f->kind = SN__WORD_LEG;
  } else if (l->joint_count >= LONG_LIMB || (others == 0 && l->joint_count == LONG_LIMB - 1)) {
    f->kind = SN__WORD_ARM;
  }
}

static const char *text_of(unsigned word) {
  return (word & SN__WORD_ARM) != 0      ? "arm"
         : (word & SN__WORD_LEG) != 0    ? "leg"
         : (word & SN__WORD_HEAD) != 0   ? "head"
         : (word & SN__WORD_TORSO) != 0  ? "torso"
         : (word & SN__WORD_TAIL) != 0   ? "tail"
         : (word & SN__WORD_LEFT) != 0   ? "left"
         : (word & SN__WORD_RIGHT) != 0  ? "right"
         : (word & SN__WORD_FRONT) != 0  ? "front"
         : (word & SN__WORD_MIDDLE) != 0 ? "middle"
         : (word & SN__WORD_REAR) != 0   ? "rear"
                                         : "";
}

/* left_arm, leg_front_left, head */
static void compose(char *name, const char *what, unsigned where) {
  const unsigned side = where & SN__WORD_SIDES, row = where & SN__WORD_ROWS;
  if (row != 0) {
    snprintf(name, NAME_SIZE, "%s_%s%s%s", what, text_of(row), side == 0 ? "" : "_", text_of(side));
  } else {
    snprintf(name, NAME_SIZE, "%s%s%s", text_of(side), side == 0 ? "" : "_", what);
  }
}

static void name_limb(const sn__limb_tree *tree, int limb, facts *f) {
  if (f->kind == 0) {
    const int tip = sn__limb_tip(tree, &tree->limbs[limb]);
    snprintf(f->name, NAME_SIZE, "%s", tree->build->model->links[tip].name);
  } else if (f->where == 0 && f->stem_is_numbered && (f->stem_words & f->kind) != 0) {
    snprintf(f->name, NAME_SIZE, "%.*s", (int)f->stem_length, f->stem);
  } else {
    /* Only legs have rows: the `back` of a humanoid is not a rear limb. */
    const unsigned where = f->kind == SN__WORD_LEG ? f->where : f->where & SN__WORD_SIDES;
    compose(f->name, text_of(f->kind), where);
  }
}

/* ---- names that several limbs have ---- */

/* Where a limb begins relative to the root: forward, to the left; 0 in the middle. */
static unsigned place_of(const sn__limb_tree *tree, int limb, bool with_rows) {
  const sn_vec3 at = tree->pose[tree->limbs[limb].begin].pos;
  const double margin_m = 1e-6;
  unsigned where = at.y > margin_m ? SN__WORD_LEFT : at.y < -margin_m ? SN__WORD_RIGHT : 0;
  if (with_rows) {
    where |= at.x > margin_m ? SN__WORD_FRONT : at.x < -margin_m ? SN__WORD_REAR : 0;
  }
  return where;
}

/* @return whether the stems distinguish limbs of the same name */
static bool have_stems(const facts *all, const int *same, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const facts *f = &all[same[i]];
    if (f->stem == NULL) {
      return false;
    }
    for (size_t j = 0; j < i; j++) {
      const facts *g = &all[same[j]];
      if (g->stem_length == f->stem_length && strncmp(g->stem, f->stem, f->stem_length) == 0) {
        return false;
      }
    }
  }
  return true;
}

static bool have_places(const sn__limb_tree *tree, const int *same, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const unsigned where = place_of(tree, same[i], count > 2);
    const bool is_whole =
        (where & SN__WORD_SIDES) != 0 && (count == 2 || (where & SN__WORD_ROWS) != 0);
    for (size_t j = 0; j <= i; j++) {
      if (!is_whole || (j < i && place_of(tree, same[j], count > 2) == where)) {
        return false;
      }
    }
  }
  return true;
}

static void distinguish(const sn__limb_tree *tree, facts *all, const int *same, size_t count) {
  char what[NAME_SIZE / 2];
  snprintf(what, sizeof what, "%.*s", (int)sizeof what - 1, all[same[0]].name);
  const bool by_stem = have_stems(all, same, count);
  const bool by_place = !by_stem && have_places(tree, same, count);
  for (size_t i = 0; i < count; i++) {
    facts *f = &all[same[i]];
    if (by_stem) {
      const bool is_said = (f->stem_words & f->kind) != 0;
      const int length = f->stem_length < NAME_SIZE / 2 ? (int)f->stem_length : NAME_SIZE / 2 - 2;
      snprintf(f->name, NAME_SIZE, "%.*s%s%s", length, f->stem, is_said ? "" : "_",
               is_said ? "" : what);
    } else if (by_place) {
      compose(f->name, what, place_of(tree, same[i], count > 2));
    } else {
      snprintf(f->name, NAME_SIZE, "%s%zu", what, i + 1);
    }
  }
}

static void separate(const sn__limb_tree *tree, facts *all) {
  int same[SN_CHAINS_MAX];
  for (size_t i = 0; i < tree->limb_count; i++) {
    size_t count = 0;
    for (size_t j = i; j < tree->limb_count; j++) {
      if (!tree->limbs[j].is_gripper && strcmp(all[j].name, all[i].name) == 0) {
        same[count++] = (int)j;
      }
    }
    if (count > 1 && !tree->limbs[i].is_gripper) {
      distinguish(tree, all, same, count);
    }
  }
}

/* ---- grippers, and the rest ---- */

/* Of an arm: `left_gripper`; a gripper without an arm: `gripper`. */
static void name_gripper(const sn__limb_tree *tree, const facts *all, size_t limb, facts *f) {
  const sn__limb *l = &tree->limbs[limb];
  const char *what = l->finger_count > 3 ? "hand" : "gripper";
  const char *of = l->parent < 0 ? "" : all[l->parent].name;
  const size_t length = strlen(of);
  const bool is_arm = length >= 3 && strcmp(of + length - 3, "arm") == 0 &&
                      (length == 3 || is_separator(of[length - 4]));
  const int kept = (int)(is_arm ? length - 3 : length); /* `left_` of `left_arm` */
  snprintf(f->name, NAME_SIZE, "%.*s%s%s", kept > NAME_SIZE - 16 ? NAME_SIZE - 16 : kept, of,
           is_arm || kept == 0 ? "" : "_", what);
}

static bool is_taken(const facts *all, size_t limb, const char *name) {
  for (size_t i = 0; i < limb; i++) {
    if (strcmp(all[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

/* Make every name unique. */
static void make_unique(const sn__limb_tree *tree, facts *all, size_t limb) {
  char *name = all[limb].name;
  if (is_taken(all, limb, name)) {
    const int tip = sn__limb_tip(tree, &tree->limbs[limb]);
    snprintf(name, NAME_SIZE, "%s", tree->build->model->links[tip].name);
  }
  char base[NAME_SIZE - 24];
  snprintf(base, sizeof base, "%.*s", (int)sizeof base - 1, name);
  for (size_t i = 2; is_taken(all, limb, name); i++) {
    snprintf(name, NAME_SIZE, "%s_%zu", base, i);
  }
}

bool sn__limb_names(const sn__limb_tree *tree, const char **names) {
  facts *all = SN_NEW(tree->build->scratch, facts, tree->limb_count);
  if (all == NULL) {
    return false;
  }
  for (size_t i = 0; i < tree->limb_count; i++) {
    if (!tree->limbs[i].is_gripper) {
      read_limb(tree, (int)i, &all[i]);
    }
  }
  /* Written after all were examined, so each guess depends on words only. */
  unsigned guessed[SN_CHAINS_MAX];
  for (size_t i = 0; i < tree->limb_count; i++) {
    facts guess = all[i];
    if (!tree->limbs[i].is_gripper && guess.kind == 0) {
      guess_kind(tree, all, (int)i, &guess);
    }
    guessed[i] = guess.kind;
  }
  for (size_t i = 0; i < tree->limb_count; i++) {
    all[i].kind = guessed[i];
    tree->limbs[i].is_leg = !tree->limbs[i].is_gripper && guessed[i] == SN__WORD_LEG;
    if (!tree->limbs[i].is_gripper) {
      name_limb(tree, (int)i, &all[i]);
    }
  }
  separate(tree, all);
  for (size_t i = 0; i < tree->limb_count; i++) {
    if (tree->limbs[i].is_gripper) {
      name_gripper(tree, all, i, &all[i]);
    }
    make_unique(tree, all, i);
    names[i] = sn_arena_text(tree->build->arena, all[i].name, strlen(all[i].name));
    if (names[i] == NULL) {
      return false;
    }
  }
  return true;
}
