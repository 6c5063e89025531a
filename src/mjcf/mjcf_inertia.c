#include <math.h>

#include "math/inertia.h"
#include "math/sym3.h"
#include "mjcf/mjcf_context.h"

/* About the centre of mass, by the parallel-axis theorem. */
static sn_sym3 about_centre(sn_inertia i, sn_vec3 c) {
  const double m = i.mass_kg;
  return (sn_sym3){.xx = i.tensor.xx - m * (c.y * c.y + c.z * c.z),
                   .yy = i.tensor.yy - m * (c.x * c.x + c.z * c.z),
                   .zz = i.tensor.zz - m * (c.x * c.x + c.y * c.y),
                   .xy = i.tensor.xy + m * c.x * c.y,
                   .xz = i.tensor.xz + m * c.x * c.z,
                   .yz = i.tensor.yz + m * c.y * c.z};
}

static void check_bound(sn__mjcf *m, const sn__xml_node *source, sn_sym3 tensor, double mass_kg) {
  if (mass_kg > 0.0 && sn__sym3_eigenvalues(tensor).x < m->settings.inertia_min) {
    sn__mjcf_problem(m, SN_SEVERITY_WARNING, source, "write the inertia that it leads to",
                     "a principal moment is below boundinertia, which is ignored");
  }
}

void sn__mjcf_add_inertial(sn__mjcf *m, sn__xml_node *link, const sn__xml_node *source,
                           sn_inertia inertia) {
  if (link == NULL) {
    return;
  }
  const double mass_kg = inertia.mass_kg;
  const sn_vec3 centre =
      mass_kg > 0.0 ? sn_vec3_scale(inertia.h, 1.0 / mass_kg) : sn_vec3_make(0, 0, 0);
  const sn_sym3 t = about_centre(inertia, centre);
  check_bound(m, source, t, mass_kg);
  sn__xml_node *element = sn__mjcf_add(m, link, "inertial", source);
  sn__mjcf_add_origin(m, element, source, (sn_pose){sn_mat3_identity(), centre});
  sn__mjcf_set_number(m, sn__mjcf_add(m, element, "mass", source), "value",
                      mass_kg > 0.0 ? fmax(mass_kg, m->settings.mass_min_kg) : mass_kg);
  sn__xml_node *tensor = sn__mjcf_add(m, element, "inertia", source);
  sn__mjcf_set_number(m, tensor, "ixx", t.xx);
  sn__mjcf_set_number(m, tensor, "iyy", t.yy);
  sn__mjcf_set_number(m, tensor, "izz", t.zz);
  sn__mjcf_set_number(m, tensor, "ixy", t.xy);
  sn__mjcf_set_number(m, tensor, "ixz", t.xz);
  sn__mjcf_set_number(m, tensor, "iyz", t.yz);
}

sn_inertia sn__mjcf_read_inertial(sn__mjcf *m, const sn__xml_node *node) {
  const sn__mjcf_element e = {.node = node, .class_index = -1};
  const sn_pose pose = sn__mjcf_pose(m, &e);
  const double mass_kg = sn__mjcf_number(m, &e, "mass", -1.0);
  double v[6] = {0};
  sn_sym3 tensor = {0};
  if (mass_kg < 0.0) {
    sn__mjcf_problem(m, SN_SEVERITY_ERROR, node, NULL, "<inertial> has no mass, or a negative one");
    return (sn_inertia){0};
  }
  if (sn__mjcf_numbers(m, &e, "fullinertia", 6, 6, v) == 6) {
    tensor = (sn_sym3){.xx = v[0], .yy = v[1], .zz = v[2], .xy = v[3], .xz = v[4], .yz = v[5]};
  } else if (sn__mjcf_numbers(m, &e, "diaginertia", 3, 3, v) == 3) {
    tensor = (sn_sym3){.xx = v[0], .yy = v[1], .zz = v[2]};
  } else {
    sn__mjcf_problem(m, SN_SEVERITY_ERROR, node, NULL,
                     "<inertial> has neither diaginertia nor fullinertia");
  }
  return sn__inertia_from_com(mass_kg, pose.pos, sn__sym3_rotate(pose.rot, tensor));
}
