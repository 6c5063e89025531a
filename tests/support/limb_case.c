#include "limb_case.h"

#include "sn_test.h"

void limb_put(text *out, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int length = vsnprintf(out->data + out->used, sizeof out->data - out->used, format, list);
  va_end(list);
  assert_true(length >= 0 && (size_t)length < sizeof out->data - out->used);
  out->used += (size_t)length;
}

/* A line is `TYPE JOINT PARENT CHILD X Y Z`, for r and p then `LOWER UPPER`, for those that mimic
   (m turns, n slides) the master. TYPE: f fixed, c continuous, o floating. */
static void put_joint(text *out, const char *lines) {
  char line[256];
  snprintf(line, sizeof line, "%.*s", (int)strcspn(lines, "\n"), lines);
  char joint[64], parent[64], child[64], a[64] = "", b[64] = "";
  char type = 0;
  double x = 0, y = 0, z = 0;
  const int count = sscanf(line, " %c %63s %63s %63s %lf %lf %lf %63s %63s", &type, joint, parent,
                           child, &x, &y, &z, a, b);
  static const char *const types[] = {
      ['f'] = "fixed",     ['c'] = "continuous", ['o'] = "floating",  ['r'] = "revolute",
      ['p'] = "prismatic", ['m'] = "revolute",   ['n'] = "prismatic", ['z'] = NULL};
  assert_true(count >= 7 && types[(int)type] != NULL);
  limb_put(out,
           "<link name='%s'/><joint name='%s' type='%s'><parent link='%s'/><child link='%s'/>"
           "<origin xyz='%g %g %g'/><axis xyz='0 0 1'/>",
           child, joint, types[(int)type], parent, child, x, y, z);
  if (type == 'm' || type == 'n') {
    limb_put(out, "<mimic joint='%s'/><limit lower='0' upper='0.5' effort='1' velocity='1'/>", a);
  } else if (type == 'r' || type == 'p') {
    limb_put(out, "<limit lower='%s' upper='%s' effort='1' velocity='1'/>", count > 7 ? a : "-2",
             count > 8 ? b : "2");
  }
  limb_put(out, "</joint>");
}

static void load(sn_test_robot *robot, const char *root, const char *lines) {
  static text urdf;
  urdf.used = 0;
  limb_put(&urdf, "<robot name='r'><link name='%s'/>", root);
  for (const char *line = lines; *line != '\0'; line = strchr(line, '\n') + 1) {
    put_joint(&urdf, line);
  }
  limb_put(&urdf, "</robot>");
  sn_test_robot_init_good(robot, urdf.data, NULL);
}

const char *limb_list_limbs(const sn_model *model) {
  static text out;
  out.used = 0;
  limb_put(&out, "%s", "");
  const sn_names *names = sn_model_chain_names(model);
  for (size_t i = 0; i < sn_names_count(names); i++) {
    limb_put(&out, "%s %s %s:", sn_names_at(names, i),
             sn_model_chain_property(model, i, "first_link"),
             sn_model_chain_property(model, i, "last_link"));
    size_t count = 0;
    const int *joints = sn_model_chain_joints(model, i, &count);
    for (size_t j = 0; j < count; j++) {
      limb_put(&out, " %s", sn_model_joint(model, (size_t)joints[j])->name);
    }
    limb_put(&out, "\n");
  }
  return out.data;
}

void limb_check_rules(const sn_model *model) {
  bool is_met[256] = {false};
  int next = 0;
  for (size_t i = 0; i < sn_names_count(sn_model_chain_names(model)); i++) {
    size_t count = 0;
    const int *joints = sn_model_chain_joints(model, i, &count);
    const sn_chain *run = sn_model_chain(model, i, true);
    assert_true(count > 0 && run->joint_count > 0 && run->joint_count <= count);
    assert_memory_equal(joints, run->joints, run->joint_count * sizeof *joints);
    for (size_t j = 0; j < count; j++) {
      assert_false(is_met[joints[j]]);
      is_met[joints[j]] = true;
      assert_int_equal(joints[j], next++);
      assert_int_equal(sn_model_joint(model, (size_t)joints[j])->chain, i);
    }
  }
  for (size_t j = 0; j < sn_model_pose_size(model); j++) {
    const sn_joint_type type = sn_model_joint(model, j)->type;
    assert_int_equal(is_met[j], type != SN_JOINT_FLOATING && type != SN_JOINT_PLANAR);
  }
}

void limb_check_limbs(const char *root, const char *lines, const char *expected) {
  sn_test_robot robot;
  load(&robot, root, lines);
  assert_string_equal(limb_list_limbs(robot.model), expected);
  limb_check_rules(robot.model);
  sn_test_robot_free(&robot);
}
