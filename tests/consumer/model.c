/* A robot from a text in memory, and the chains and contacts of an installed one.
   usage: model FOLDER     of the installed robots */
#include <string.h>

#include "check.h"

static const char pendulum[] =
    "<robot name='pendulum'><link name='base'/><link name='rod'/>"
    "<joint name='hinge' type='revolute'><parent link='base'/><child link='rod'/>"
    "<origin xyz='0 0 0.5'/><axis xyz='0 2 0'/>"
    "<limit lower='-1' upper='1' velocity='2' effort='3'/></joint></robot>";

static void check_parse(void) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "model", 0);
  const sn_model_config config = {.file = "pendulum"};
  const sn_model *model = NULL;
  sn_error err = {SN_OK, ""};
  CHECK(sn_model_parse(&arena, pendulum, sizeof pendulum / 2, &config, NULL, &model, &err) ==
        SN_ESYNTAX);
  CHECK(model == NULL && sn_arena_used(&arena) == 0);
  if (CHECK(sn_model_parse(&arena, pendulum, sizeof pendulum - 1, &config, NULL, &model, &err) ==
            SN_OK)) {
    CHECK(sn_model_link_count(model) == 2);
    CHECK(sn_model_link_index(model, "rod") == 1);
    CHECK(sn_model_link_index(model, "hinge") == -1);
    const sn_joint *hinge = sn_model_joint(model, 0);
    CHECK(hinge->child_link == sn_model_link_index(model, "rod"));
    CHECK_NEAR(hinge->axis.y, 1, 0);
    CHECK_NEAR(hinge->pose_parent_joint.pos.z, 0.5, 0);
  }
  sn_arena_release(&arena);
}

/* Every name leads back to its index. */
static void check_names(const sn_model *model) {
  for (size_t i = 0; i < sn_model_link_count(model); i++) {
    CHECK(sn_model_link_index(model, sn_model_link(model, i)->name) == (int)i);
  }
  const sn_names *chains = sn_model_chain_names(model);
  for (size_t i = 0; i < sn_names_count(chains); i++) {
    CHECK(sn_model_chain_index(model, sn_names_at(chains, i)) == (int)i);
  }
  const sn_names *contacts = sn_model_contact_names(model);
  for (size_t i = 0; i < sn_names_count(contacts); i++) {
    CHECK(sn_model_contact_index(model, sn_names_at(contacts, i)) == (int)i);
  }
  CHECK(sn_model_chain_index(model, "wing") == -1);
  CHECK(sn_model_contact_index(model, "wing") == -1);
}

/* The points of two contacts, one after the other; a contact that does not fit adds nothing. */
static void check_contacts(const sn_model *model) {
  const int leg = sn_model_chain_index(model, "leg1");
  const int contact = sn_model_chain_default_contact(model, (size_t)leg);
  CHECK(contact == sn_model_contact_index(model, "hoof_flat"));
  CHECK(sn_model_chain_default_contact(model, (size_t)sn_model_chain_index(model, "head")) == -1);

  const sn_contact *flat = sn_model_contact(model, (size_t)contact);
  sn_vec3 points[4];
  sn_point_buffer buffer = {points, 0, 4};
  CHECK(sn_model_add_contact_points(model, "hoof_center", &buffer) == SN_OK && buffer.count == 1);
  CHECK(sn_model_add_contact_points(model, "hoof_flat", &buffer) == SN_OK);
  CHECK(buffer.count == 1 + flat->point_count);
  CHECK(memcmp(points + 1, flat->points, flat->point_count * sizeof *points) == 0);
  CHECK(sn_model_add_contact_points(model, "hoof_fixed", &buffer) == SN_ENOSPC);
  CHECK(buffer.count == 1 + flat->point_count);
  CHECK(sn_model_add_contact_points(model, "wing", &buffer) == SN_ENOENT);
}

int main(int argc, char **argv) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "model", 0);
  const sn_model *model = argc == 2 ? check_load(&arena, argv[1]) : NULL;
  check_parse();
  if (CHECK(model != NULL)) {
    check_names(model);
    check_contacts(model);
  }
  sn_arena_release(&arena);
  return check_result();
}
