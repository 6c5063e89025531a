#include "model/urdf/urdf.h"

#include <stdio.h>
#include <string.h>

#include "base/report_internal.h"
#include "base/text.h"
#include "files/file.h"
#include "model/urdf/urdf_values.h"

/* The known elements, by parent element. All others are skipped with their content, so a <joint>
 * inside <ros2_control> or <gazebo> is not a joint of the robot. */
static const sn__xml_known known[] = {
    {"robot", {"link", "joint", "material"}},
    {"link", {"inertial", "visual", "collision"}},
    {"joint",
     {"origin", "parent", "child", "axis", "limit", "safety_controller", "mimic", "dynamics"}},
    {"inertial", {"origin", "mass", "inertia"}},
    {"visual", {"origin", "geometry", "material"}},
    {"collision", {"origin", "geometry"}},
    {"geometry", {"box", "cylinder", "sphere", "capsule", "mesh"}},
    {"material", {"color", "texture"}},
};

/* Counts during parsing, so that too many links stop it before memory is spent. */
typedef struct census {
  size_t link_count;
  size_t joint_count;
} census;

static bool is_known(const char *parent, const char *name) {
  return sn__xml_is_known(known, sizeof known / sizeof *known, parent, name);
}

static sn__xml_verdict count_element(size_t *count, sn_report *report, const char *name,
                                     sn_place place) {
  if (++*count <= SN_URDF_LINKS_MAX) {
    return SN__XML_KEEP;
  }
  sn__report_add(report, SN_SEVERITY_ERROR, place, NULL, "more than %d %ss", SN_URDF_LINKS_MAX,
                 name);
  return SN__XML_STOP;
}

static sn__xml_verdict judge(void *context, sn_report *report, const sn__xml_node *parent,
                             const char *name, sn_place place) {
  census *c = context;
  if (parent == NULL) {
    return SN__XML_KEEP;
  }
  if (is_known(parent->name, name)) {
    if (sn__xml_same(name, "link")) {
      return count_element(&c->link_count, report, name, place);
    }
    if (sn__xml_same(name, "joint")) {
      return count_element(&c->joint_count, report, name, place);
    }
    return SN__XML_KEEP;
  }
  if (strncmp(name, "xacro:", 6) == 0) {
    sn__report_add(report, SN_SEVERITY_WARNING, place, "run xacro first",
                   "<%.60s> inside <%s> is left over from xacro, it is skipped", name,
                   parent->name);
  }
  return SN__XML_SKIP;
}

static void check_robot(sn__urdf_context *context, const sn__xml_node *node) {
  static const char *const versions[] = {"1.0", "1.1", "1.2"};
  const char *name = sn__xml_attribute_value(node, "name");
  if (name == NULL || *name == '\0') {
    sn__urdf_problem(context, SN_SEVERITY_WARNING, node, NULL, NULL, "the robot has no name");
  } else if (sn__text_has_control(name)) {
    sn__urdf_problem(context, SN_SEVERITY_ERROR, node, "name", NULL,
                     "robot '%.80s': a name must not hold a control character", name);
  }
  const char *version = sn__xml_attribute_value(node, "version");
  bool is_known_version = version == NULL;
  for (size_t i = 0; !is_known_version && i < 3; i++) {
    is_known_version = strcmp(version, versions[i]) == 0;
  }
  if (!is_known_version) {
    sn__urdf_problem(context, SN_SEVERITY_WARNING, node, "version", "known are 1.0, 1.1 and 1.2",
                     "unknown URDF version '%.60s'", version);
  }
}

/* @return false if memory runs out */
static bool read_elements(sn__urdf_context *context, sn__urdf_robot *robot) {
  for (const sn__xml_node *node = context->robot->first_child; node != NULL; node = node->next) {
    if (sn__xml_same(node->name, "link")) {
      if (!sn__urdf_read_link(context, node, &robot->links[robot->link_count++])) {
        return false;
      }
    } else if (sn__xml_same(node->name, "joint")) {
      sn__urdf_read_joint(context, node, &robot->joints[robot->joint_count++]);
    }
  }
  return true;
}

/* One warning for all missing meshes: which ones, and where they were searched. */
static void report_meshes(sn__urdf_context *context) {
  enum { NAMED_MAX = 3 };
  const size_t count = context->mesh_missing_count;
  if (count == 0) {
    return;
  }
  char names[400] = "";
  for (size_t i = 0, used = 0; i < count && i < NAMED_MAX; i++) {
    used += (size_t)snprintf(names + used, sizeof names - used, "%s'%.100s'", i == 0 ? "" : ", ",
                             context->mesh_missing[i]);
  }
  char others[40] = "";
  if (count > NAMED_MAX) {
    snprintf(others, sizeof others, " and %zu more", count - NAMED_MAX);
  }
  char where[340] = "";
  if (context->config->mesh_explain != NULL) {
    context->config->mesh_explain(context->config->mesh_context, context->mesh_missing[0], where,
                                  sizeof where);
  }
  char hint[400];
  snprintf(hint, sizeof hint, "%s%sthe robot is shown without %s", where,
           where[0] == '\0' ? "" : "; ", count == 1 ? "it" : "them");
  sn__report_add(context->report, SN_SEVERITY_WARNING, context->mesh_place, hint,
                 "mesh%s not found: %s%s", count == 1 ? "" : "es", names, others);
}

/* Advice for a file with another root element. */
static const char *hint_of_root(const char *name) {
  static const struct {
    const char *name, *hint;
  } roots[] = {{"sdf", "this is SDF, the format of Gazebo; use the URDF that it was made from"},
               {"mujocoinclude", "this is a part of an MJCF file; use the file that includes it"},
               {"properties", "this is an OROCOS property file; give it the ending .cpf"},
               {"package", "this is a ROS package.xml; use a .urdf of the package"},
               {"launch", "this is a ROS launch file; use the .urdf that it loads"},
               {"COLLADA", "this is a mesh; use the .urdf that names it"}};
  for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
    if (strcmp(roots[i].name, name) == 0) {
      return roots[i].hint;
    }
  }
  return NULL;
}

static bool contains(const char *text, size_t size, const char *word) {
  const size_t length = strlen(word);
  for (size_t i = 0; i + length <= size; i++) {
    if (memcmp(text + i, word, length) == 0) {
      return true;
    }
  }
  return false;
}

/* A xacro template gets one error instead of one for each of its expressions. A file that ends in
   .xacro but uses no xacro is a URDF. */
static bool is_template(const sn__urdf_context *context) {
  const char *text = context->text;
  const size_t size = context->size;
  return sn__file_has_ending(context->file, ".xacro") &&
         (contains(text, size, "<xacro:") || contains(text, size, "${") ||
          contains(text, size, "$("));
}

/* A copy of the elements that are known.
   @return NULL with the status set: no memory, or a limit */
/* NOLINTNEXTLINE(misc-no-recursion): known elements nest as deep as the table says */
static sn__xml_node *sift(sn__urdf_context *context, census *counted, const sn__xml_node *node,
                          sn_status *status) {
  sn__xml_node *copy = SN_NEW(context->arena, sn__xml_node, 1);
  if (copy == NULL) {
    *status = SN_ENOMEM;
    return NULL;
  }
  *copy = *node;
  copy->first_child = copy->next = NULL;
  sn__xml_node **link = &copy->first_child;
  for (const sn__xml_node *child = node->first_child; child != NULL; child = child->next) {
    const sn__xml_verdict verdict =
        child->name[0] == '#' ? SN__XML_SKIP
                              : judge(counted, context->report, node, child->name, child->place);
    if (verdict == SN__XML_KEEP) {
      *link = sift(context, counted, child, status);
      link = *link == NULL ? link : &(*link)->next;
    }
    if (verdict == SN__XML_STOP) {
      *status = SN_ELIMIT;
    }
    if (*status != SN_OK) {
      return NULL;
    }
  }
  return copy;
}

static sn_status parse_text(sn__urdf_context *context, census *counted, sn__xml_node **root) {
  if (is_template(context)) {
    sn__report_add(context->report, SN_SEVERITY_ERROR, (sn_place){.file = context->file, .line = 1},
                   "expand it first: sinew xacro robot.urdf.xacro > robot.urdf",
                   "this is a xacro template, expected a URDF");
    return SN_EMODEL;
  }
  const sn__xml_config config = {.file = context->file,
                                 .size_max = SN_URDF_SIZE_MAX,
                                 .depth_max = SN_URDF_DEPTH_MAX,
                                 .attribute_max = SN_URDF_ATTRIBUTE_MAX,
                                 .attributes_max = SN_URDF_ATTRIBUTES_MAX,
                                 .judge = judge,
                                 .context = counted};
  return sn__xml_parse(context->arena, context->text, context->size, &config, context->report,
                       root);
}

sn_status sn__urdf_read(sn__urdf_context *context, sn__urdf_robot *robot) {
  census counted = {0};
  sn__xml_node *root = NULL;
  sn_status status = SN_OK;
  if (context->tree == NULL) {
    status = parse_text(context, &counted, &root);
  } else {
    root = sift(context, &counted, context->tree, &status);
  }
  if (status != SN_OK) {
    return status;
  }
  if (strcmp(root->name, "robot") != 0) {
    sn__report_add(context->report, SN_SEVERITY_ERROR, root->place, hint_of_root(root->name),
                   "the root element is <%.60s>, expected <robot>", root->name);
    return SN_EMODEL;
  }
  context->robot = root;
  check_robot(context, root);
  const char *name = sn__xml_attribute_value(root, "name");
  *robot = (sn__urdf_robot){
      .name = name == NULL ? "" : name,
      .links = SN_NEW(context->arena, sn__urdf_link, counted.link_count),
      .joints = SN_NEW(context->arena, sn__urdf_joint, counted.joint_count),
  };
  if (robot->links == NULL || robot->joints == NULL) {
    return SN_ENOMEM;
  }
  if (!read_elements(context, robot)) {
    return SN_ENOMEM;
  }
  report_meshes(context);
  if (!sn__urdf_check_materials(context) || !sn__urdf_connect(context, robot)) {
    return SN_ENOMEM;
  }
  return sn_report_error_count(context->report) > 0 ? SN_EMODEL : SN_OK;
}
