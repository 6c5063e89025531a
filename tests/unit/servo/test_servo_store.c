#define _DEFAULT_SOURCE

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"
#include "servo/servo_store.h"
#include "sinew/random.h"
#include "sn_test.h"

static char folder[64];
static sn_arena arena;
static sn_report *report;

static const char *path_of(const char *name) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static sn_status load(const char *name, sn_servo_list *list) {
  assert_int_equal(sn_report_create(&arena, &report, NULL), SN_OK);
  return sn__servo_store_load(&arena, path_of(name), report, list);
}

static sn_status load_text(const char *text, sn_servo_list *list) {
  sn_test_write(folder, "in.yaml", text);
  return load("in.yaml", list);
}

static void assert_extension_equal(const sn_servo_extension *a, const sn_servo_extension *b) {
  assert_int_equal(a->is_directional, b->is_directional);
  assert_memory_equal(a->load, b->load, sizeof a->load);
  assert_memory_equal(a->back_load, b->back_load, sizeof a->back_load);
  const double one[] = {a->back_emf, a->offset, a->drive_max, a->delay_s, a->backlash};
  const double two[] = {b->back_emf, b->offset, b->drive_max, b->delay_s, b->backlash};
  assert_memory_equal(one, two, sizeof one);
}

static void draw_extension(sn_random *r, sn_servo_params *params) {
  params->ext = (sn_servo_extension){.back_emf = sn_random_unit(r) * params->alpha[0],
                                     .load = {sn_random_unit(r), sn_random_unit(r)},
                                     .offset = sn_random_normal(r),
                                     .drive_max = sn_random_unit(r),
                                     .delay_s = sn_random_unit(r),
                                     .backlash = sn_random_unit(r)};
  params->ext.is_directional = sn_random_below(r, 2) == 0;
  params->ext.back_load[1] = params->ext.is_directional ? sn_random_unit(r) : 0.0;
}

SN_TEST(saved_models_are_loaded_bit_by_bit) {
  enum { N = 40 };
  sn_random r;
  sn_random_init(&r, 1);
  sn_servo_entry entries[N];
  char names[N][32];
  for (size_t i = 0; i < N; i++) {
    snprintf(names[i], sizeof names[i], i == 3 ? "odd \"name\"\\\t: {%zu}" : "joint%zu", i);
    entries[i] = (sn_servo_entry){.name = names[i],
                                  .has_alpha = i % 5 != 0,
                                  .params = {.kp = exp(sn_random_normal(&r)),
                                             .kgear = sn_random_normal(&r),
                                             .qs = exp(sn_random_normal(&r)),
                                             .delta = exp(sn_random_normal(&r)),
                                             .inertia = i % 2 == 0 ? 0.0 : sn_random_unit(&r)}};
    for (size_t k = 0; k < 4 && entries[i].has_alpha; k++) {
      entries[i].params.alpha[k] = 100.0 * sn_random_unit(&r);
    }
    if (i % 3 == 0) {
      draw_extension(&r, &entries[i].params);
    }
  }
  const sn_servo_list saved = {.entries = entries, .count = N};
  sn_error err;
  if (sn__servo_store_save(path_of("m.yaml"), &saved, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  sn_servo_list list;
  assert_int_equal(load("m.yaml", &list), SN_OK);
  assert_int_equal(list.count, N);
  for (size_t i = 0; i < N; i++) {
    assert_string_equal(list.entries[i].name, names[i]);
    assert_memory_equal(&list.entries[i].params, &entries[i].params,
                        offsetof(sn_servo_params, ext));
    assert_extension_equal(&list.entries[i].params.ext, &entries[i].params.ext);
    assert_int_equal(list.entries[i].has_alpha, entries[i].has_alpha);
    assert_int_equal(sn_names_index(list.names, names[i]), (int)i);
  }
  const sn_servo_list empty = {0};
  assert_int_equal(sn__servo_store_save(path_of("m.yaml"), &empty, NULL), SN_OK);
  assert_int_equal(load("m.yaml", &list), SN_OK);
  assert_int_equal(list.count, 0);
  assert_int_equal(load("m.yaml.previous", &list), SN_OK); /* the previous models */
  assert_int_equal(list.count, N);
}

SN_TEST(missing_values_have_defaults) {
  sn_servo_list list;
  assert_int_equal(load_text("other: 1\nservo_models:\n  - {name: a, kp: 90}\n", &list), SN_OK);
  const sn_servo_params *p = &list.entries[0].params;
  assert_false(list.entries[0].has_alpha);
  sn_assert_near(p->kp, 90.0, 0.0);
  sn_assert_near(p->kgear, 1.0, 0.0);
  assert_true(p->alpha[0] == 0.0 && p->inertia == 0.0 && p->qs > 0.0 && p->delta > 0.0);
}

SN_TEST(every_mistake_is_reported_with_its_line) {
  static const struct {
    const char *text;
    unsigned line;
    const char *message;
  } cases[] = {
      {"models: []\n", 1, "servo_models, a list, is missing"},
      {"servo_models: 5\n", 1, "servo_models, a list, is missing"},
      {"servo_models:\n  - 5\n", 2, "a servo must be a bag"},
      {"servo_models:\n  - {kp: 1}\n", 2, "the servo has no name"},
      {"servo_models:\n  - {name: a}\n", 2, "the servo has no kp"},
      {"servo_models:\n  - name: a\n    kp: 0\n", 2, "servo 'a': kp is 0"},
      {"servo_models:\n  - name: a\n    kp: -3\n", 2, "servo 'a': kp is -3"},
      {"servo_models:\n  - name: a\n    kp: nan\n", 3, "kp is 'nan', expected a finite number"},
      {"servo_models:\n  - name: a\n    kp: 1\n    kgear: 0\n", 2, "servo 'a': kgear is 0"},
      {"servo_models:\n  - name: a\n    kp: 1\n    alpha: [1, 2, 3]\n", 4, "four finite numbers"},
      {"servo_models:\n  - name: a\n    kp: 1\n    gear: 2\n", 4, "unknown property 'gear'"},
      {"servo_models:\n  - {name: a, kp: 1}\n  - {name: a, kp: 1}\n", 3, "servo 'a' appears twice"},
      {"servo_models:\n  - {name: a, kp: 1\n", 3, "not well-formed YAML"},
      {"servo_models:\n  - {name: a, kp", 3, "not well-formed YAML"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_servo_list list = {.count = 77};
    assert_int_not_equal(load_text(cases[i].text, &list), SN_OK);
    assert_int_equal(list.count, 77); /* unchanged on failure */
    assert_true(sn_report_error_count(report) > 0);
    sn_assert_contains(sn_report_at(report, 0)->message, cases[i].message);
    assert_int_equal(sn_report_at(report, 0)->place.line, cases[i].line);
  }
  sn_servo_list list;
  assert_int_equal(load("nowhere.yaml", &list), SN_EIO);
}

static const sn_servo_params some = {
    .kp = 100, .kgear = 1, .alpha = {40, 8, 5, 200}, .qs = 0.1, .delta = 1};

SN_TEST(a_failed_save_keeps_the_old_file) {
  sn_servo_entry entry = {.name = "a", .params = some, .has_alpha = true};
  const sn_servo_list list = {.entries = &entry, .count = 1};
  assert_int_equal(sn__servo_store_save(path_of("keep.yaml"), &list, NULL), SN_OK);
  size_t size;
  char *before = sn_test_read_file(path_of("keep.yaml"), &size);
  sn_error err;
  entry.params.kp = NAN; /* an invalid model */
  assert_int_equal(sn__servo_store_save(path_of("keep.yaml"), &list, &err), SN_EINVAL);
  sn_assert_contains(err.message, "servo 'a': kp is nan");
  entry.params.kp = 50.0;
  assert_int_equal(mkdir(path_of("keep.yaml.new"), 0700), 0); /* no room for the new file */
  assert_int_equal(sn__servo_store_save(path_of("keep.yaml"), &list, &err), SN_EIO);
  sn_assert_contains(err.message, "File exists; the old file is intact");
  assert_int_equal(rmdir(path_of("keep.yaml.new")), 0);
  struct rlimit no_room;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &no_room), 0);
  const rlim_t room = no_room.rlim_cur;
  no_room.rlim_cur = 10; /* as if the disk were full */
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &no_room), 0);
  const sn_status status = sn__servo_store_save(path_of("keep.yaml"), &list, &err);
  no_room.rlim_cur = room;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &no_room), 0);
  assert_int_equal(status, SN_EIO);
  sn_assert_contains(err.message, "File too large; the old file is intact");
  assert_int_equal(sn__servo_store_save("/nowhere/at/all.yaml", &list, &err), SN_EIO);
  sn_assert_contains(err.message, "No such file or directory");
  char *after = sn_test_read_file(path_of("keep.yaml"), &size);
  assert_string_equal(after, before);
  free(before);
  free(after);
}

/* In a folder that others can write, a link with the name of the temporary file must not be
   followed. */
SN_TEST(new_file_does_not_follow_a_link) {
  sn_servo_entry entry = {.name = "a", .params = some, .has_alpha = true};
  const sn_servo_list list = {.entries = &entry, .count = 1};
  sn_test_write(folder, "victim", "precious");
  sn_test_write(folder, "guarded.yaml", "");
  assert_int_equal(chmod(path_of("guarded.yaml"), 0600), 0);
  assert_int_equal(symlink("victim", path_of("guarded.yaml.new")), 0);
  assert_int_equal(sn__servo_store_save(path_of("guarded.yaml"), &list, NULL), SN_OK);
  size_t size;
  char *text = sn_test_read_file(path_of("victim"), &size);
  assert_string_equal(text, "precious");
  free(text);
  struct stat facts;
  assert_int_equal(lstat(path_of("guarded.yaml"), &facts), 0);
  assert_true(S_ISREG(facts.st_mode));
  assert_int_equal(facts.st_mode & 0777, 0600); /* the permissions stay */
}

/* Loading from a pipe would block while holding the lock of the system. */
SN_TEST(only_regular_files_are_read) {
  sn_servo_list list;
  assert_int_equal(mkfifo(path_of("fifo.yaml"), 0600), 0);
  assert_int_equal(load("fifo.yaml", &list), SN_EIO);
  assert_int_equal(symlink("/dev/zero", path_of("zero.yaml")), 0);
  assert_int_equal(load("zero.yaml", &list), SN_EIO);
  assert_int_equal(mkdir(path_of("folder.yaml"), 0700), 0);
  assert_int_equal(load("folder.yaml", &list), SN_EIO);
}

/* If the path is a link, the link stays and its target is replaced. */
SN_TEST(link_to_the_file_stays_one) {
  sn_servo_entry entry = {.name = "a", .params = some, .has_alpha = true};
  const sn_servo_list list = {.entries = &entry, .count = 1};
  assert_int_equal(sn__servo_store_save(path_of("real.yaml"), &list, NULL), SN_OK);
  assert_int_equal(symlink("real.yaml", path_of("link.yaml")), 0);
  entry.params.kp = 51.0;
  assert_int_equal(sn__servo_store_save(path_of("link.yaml"), &list, NULL), SN_OK);
  struct stat facts;
  assert_int_equal(lstat(path_of("link.yaml"), &facts), 0);
  assert_true(S_ISLNK(facts.st_mode));
  size_t size;
  char *text = sn_test_read_file(path_of("real.yaml"), &size);
  sn_assert_contains(text, "kp: 51");
  free(text);
  /* A pipe or a device is not replaced by a file. */
  sn_error err;
  assert_int_equal(mkfifo(path_of("pipe.yaml"), 0600), 0);
  assert_int_equal(sn__servo_store_save(path_of("pipe.yaml"), &list, &err), SN_EIO);
  sn_assert_contains(err.message, "is not a regular file");
}

/* A child saves models with kp = 1, 2, 3 ... until it is killed; the file is always complete.
 */
SN_TEST(kill_at_any_moment_leaves_a_whole_file) {
  enum { N = 30 };
  static sn_servo_entry entries[N];
  static char names[N][16];
  for (size_t i = 0; i < N; i++) {
    snprintf(names[i], sizeof names[i], "joint%zu", i);
    entries[i] = (sn_servo_entry){.name = names[i], .params = some, .has_alpha = true};
  }
  const sn_servo_list list = {.entries = entries, .count = N};
  const char *path = path_of("killed.yaml");
  assert_int_equal(sn__servo_store_save(path, &list, NULL), SN_OK);
  sn_random r;
  sn_random_init(&r, 2);
  for (size_t round = 0; round < sn_test_cases(20); round++) {
    const pid_t child = fork();
    if (child == 0) {
      for (double kp = 1.0;; kp += 1.0) {
        for (size_t i = 0; i < N; i++) {
          entries[i].params.kp = kp;
        }
        sn__servo_store_save(path, &list, NULL);
      }
    }
    usleep((useconds_t)(500 + sn_random_below(&r, 15000)));
    assert_int_equal(kill(child, SIGKILL), 0);
    waitpid(child, NULL, 0);
    sn_servo_list found;
    assert_int_equal(load("killed.yaml", &found), SN_OK);
    assert_int_equal(found.count, N);
    for (size_t i = 1; i < N; i++) {
      assert_true(found.entries[i].params.kp == found.entries[0].params.kp);
    }
    sn_arena_release(&arena);
  }
}

static int create_folder(void **state) {
  (void)state;
  sn_test_folder_create(folder);
  sn_arena_init_growing(&arena, "store", 1 << 14);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  sn_arena_release(&arena);
  sn_test_folder_remove(folder);
  return 0;
}

SN_TEST_GROUP(create_folder, remove_folder)
