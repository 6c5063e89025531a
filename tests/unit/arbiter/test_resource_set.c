/* Sets against plain arrays of bool, beyond one word. */
#include "rig.h"
#include "sinew/random.h"

SN_TEST(sets_behave_as_sets) {
  sn_random random;
  sn_random_init(&random, 3);
  for (int round = 0; round < 300; round++) {
    bool x[SN_RESOURCES_MAX] = {false};
    bool y[SN_RESOURCES_MAX] = {false};
    sn_resource_set a = sn_resource_set_none();
    sn_resource_set b = sn_resource_set_none();
    for (int k = 0; k < 40; k++) {
      const size_t i = (size_t)sn_random_below(&random, SN_RESOURCES_MAX);
      const size_t j = (size_t)sn_random_below(&random, SN_RESOURCES_MAX);
      x[i] = true;
      sn_resource_set_add(&a, i);
      y[j] = k % 4 != 0;
      k % 4 != 0 ? sn_resource_set_add(&b, j) : sn_resource_set_remove(&b, j);
    }
    const sn_resource_set join = sn_resource_set_join(a, b);
    const sn_resource_set common = sn_resource_set_common(a, b);
    const sn_resource_set without = sn_resource_set_without(a, b);
    size_t count = 0;
    int next = sn_resource_set_next(&a, 0);
    for (size_t i = 0; i < SN_RESOURCES_MAX; i++) {
      assert_int_equal(sn_resource_set_has(&join, i), x[i] || y[i]);
      assert_int_equal(sn_resource_set_has(&common, i), x[i] && y[i]);
      assert_int_equal(sn_resource_set_has(&without, i), x[i] && !y[i]);
      if (x[i]) {
        assert_int_equal(next, i);
        next = sn_resource_set_next(&a, next + 1);
        count++;
      }
    }
    assert_int_equal(next, -1);
    assert_int_equal(sn_resource_set_count(&a), count);
    assert_true(sn_resource_set_includes(&a, &common));
    assert_int_equal(sn_resource_set_includes(&b, &a), sn_resource_set_is_empty(&without));
    assert_int_equal(sn_resource_set_equal(&a, &common), sn_resource_set_is_empty(&without));
    const sn_resource_set first = sn_resource_set_first(count);
    assert_int_equal(sn_resource_set_count(&first), count);
    assert_int_equal(sn_resource_set_next(&first, (int)count), -1);
  }
}
