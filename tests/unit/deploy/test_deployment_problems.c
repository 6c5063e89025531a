#include <stdlib.h>

#include "deployment_rig.h"

/* Bad deployments: each small, each with all of its problems. */

typedef struct bad_case {
  const char *yaml;
  const char *problems;
  const char *setting;
} bad_case;

#define SOURCE "  s: {type: Source}\n"
#define GAIN "  g: {type: Gain}\n"
#define SINK "  k: {type: Sink, properties: {label: x}}\n"

static const bad_case cases[] = {
    /* the file as a whole */
    {"[a]", "d.yaml:1:1: error: a property file is a mapping of names to values\n", NULL},
    {"components: {a: {type: Source}\n",
     "d.yaml:2:1: error: not well-formed YAML: did not find expected ',' or '}'\n", NULL},
    {"componets: {}\n",
     "d.yaml:1:1: error: unknown property 'componets' (did you mean 'components'?)\n", NULL},
    {"components:\n" SOURCE "speed: 3\n",
     "d.yaml:3:1: error: unknown property 'speed' (known are components, connections, "
     "activities, include, robot, robot_arguments, plugins, capacity, kinematics_chains, chains, "
     "contacts, "
     "groups, joint_limits, poses)\n",
     NULL},
    {"components:\n  s: {type: Source}\n  s: {type: Source}\n",
     "d.yaml:3:3: error: 's' appears twice, first in line 2\n", NULL},
    {"components: [s]\n", "d.yaml:1:1: error: 'components' is not a bag of components by name\n",
     NULL},
    {"components: s\n", "d.yaml:1:13: error: 'components' is not a bag of components by name\n",
     NULL},
    {"components: &a {}\n",
     "d.yaml:1:13: error: anchors, aliases and tags are not allowed (write the value out)\n", NULL},
    /* other files */
    {"include: [a.yaml]\n",
     "d.yaml:1:11: error: 'a.yaml' is another file, which may not be read here\n", NULL},
    {"include: a.yaml\n", "d.yaml:1:10: error: 'include' is 'a.yaml', expected a list of texts\n",
     NULL},
    {"include: [{a: b}]\n",
     "d.yaml:1:11: error: 'include[0]' is a bag of properties, expected a text\n", NULL},
    {"plugins: [p.so]\n",
     "d.yaml:1:11: error: 'p.so' is another file, which may not be read here\n", NULL},
    {"plugins: p.so\n", "d.yaml:1:10: error: 'plugins' is 'p.so', expected a list of texts\n",
     NULL},
    {"robot: r.urdf\n", "d.yaml:1:8: error: 'r.urdf' is another file, which may not be read here\n",
     NULL},
    {"robot: [r.urdf]\n", "d.yaml:1:1: error: 'robot' is a list, expected a text\n", NULL},
    {"components:\n  s: {type: Source, property_file: s.cpf}\n",
     "d.yaml:2:36: error: 's.cpf' is another file, which may not be read here\n", NULL},
    /* capacity */
    {"capacity: {items: 0}\n",
     "d.yaml:1:19: error: 'capacity.items' is 0, expected 1 .. 65536 elements\n", NULL},
    {"capacity: {text: 1e9}\n",
     "d.yaml:1:18: error: 'capacity.text' is '1e9', expected an integer\n", NULL},
    {"capacity: {text: 16777217, size: 1}\n",
     "d.yaml:1:18: error: 'capacity.text' is 16777217, expected 1 .. 16777216 bytes\n"
     "d.yaml:1:28: error: 'capacity' has no property 'size' (known are items, text)\n",
     NULL},
    {"capacity: 64\n", "d.yaml:1:11: error: 'capacity' is '64', expected a bag of properties\n",
     NULL},
    /* activities */
    {"activities: {a: {period: -1}}\n",
     "d.yaml:1:26: error: 'activities.a.period' is -1, expected 0 .. 3600 s\n", NULL},
    {"activities: {a: {period: 1e-6}}\n",
     "d.yaml:1:26: error: 'activities.a.period' is 1e-6, expected 0 or at least 1e-05 s\n", NULL},
    {"activities: {a: {perod: 1}}\n",
     "d.yaml:1:18: error: 'activities.a' has no property 'perod' (did you mean 'period'?)\n", NULL},
    {"activities: {a: {priority: 100, cpu: x, lock_memory: maybe}}\n",
     "d.yaml:1:28: error: 'activities.a.priority' is 100, expected 0 .. 99\n"
     "d.yaml:1:38: error: 'activities.a.cpu' is 'x', expected an integer\n"
     "d.yaml:1:54: error: 'activities.a.lock_memory' is 'maybe', expected true or false\n",
     NULL},
    {"activities: {a b: {period: 1}}\n",
     "d.yaml:1:14: error: activity 'a b' is not a valid name: use up to 63 letters, digits and _, "
     "no "
     "digit first\n",
     NULL},
    {"activities: [a]\n", "d.yaml:1:1: error: 'activities' is not a bag of activities by name\n",
     NULL},
    {"activities: {a: 0.001}\n",
     "d.yaml:1:17: error: 'activities.a' is '0.001', expected a bag of properties\n", NULL},
    {"activities: {control: {}}\ncomponents: {s: {type: Source, activity: contrl}}\n",
     "d.yaml:2:42: error: unknown activity 'contrl' (did you mean 'control'?)\n", NULL},
    {"components: {s: {type: Source, activity: control}}\n",
     "d.yaml:1:42: error: unknown activity 'control'\n", NULL},
    /* components */
    {"components: {s: Source}\n",
     "d.yaml:1:17: error: 'components.s' is 'Source', expected a bag of properties\n"
     "d.yaml:1:14: error: 'components.s.type' is not set, expected a text (Name of a component "
     "type.)\n",
     NULL},
    {"components:\n  s:\n    activity: main\n",
     "d.yaml:2:3: error: 'components.s.type' is not set, expected a text (Name of a component "
     "type.)\n",
     NULL},
    {"components: {s: {type: Sorce}}\n",
     "d.yaml:1:24: error: unknown component type 'Sorce' (did you mean 'Source'?)\n", NULL},
    {"components: {s: {type: Whatever}}\n",
     "d.yaml:1:24: error: unknown component type 'Whatever' (it may be in a plugin: "
     "plugins: [libmy_components.so])\n",
     NULL},
    {"components: {s: {type: }}\n",
     "d.yaml:1:24: error: unknown component type '' (it may be in a plugin: plugins: "
     "[libmy_components.so])\n",
     NULL},
    {"components: {s: {type: [Source]}}\n",
     "d.yaml:1:18: error: 'components.s.type' is a list, expected a text\n", NULL},
    {"components: {s: {typ: Source}}\n",
     "d.yaml:1:18: error: 'components.s' has no property 'typ' (did you mean 'type'?)\n"
     "d.yaml:1:14: error: 'components.s.type' is not set, expected a text (Name of a component "
     "type.)\n",
     NULL},
    {"components: {my source: {type: Source}}\n",
     "d.yaml:1:14: error: component 'my source' is not a valid name: use up to 63 letters, digits "
     "and _, no digit first\n",
     NULL},
    {"components: {a234567890123456789012345678901234567890123456789012345678901234: {type: "
     "Source},\n"
     "  b23456789012345678901234567890123456789012345678901234567890123: {type: Source}}\n",
     "d.yaml:1:14: error: component "
     "'a234567890123456789012345678901234567890123456789012345678901234' is not a valid name: use "
     "up "
     "to 63 letters, digits and _, no digit first\n",
     NULL},
    {"components: {s: {type: Source, deadline: -0.5}}\n",
     "d.yaml:1:42: error: 'components.s.deadline' is -0.5, expected 0 .. 3600 s\n", NULL},
    /* properties */
    {"components: {s: {type: Source, properties: {amplitude: 11}}}\n",
     "d.yaml:1:56: error: 's.amplitude' is 11, expected 0 .. 10 m\n", NULL},
    {"components:\n  s:\n    type: Source\n    properties:\n      amplitud: 1\n      names: x\n",
     "d.yaml:5:7: error: 's' has no property 'amplitud' (did you mean 'amplitude'?)\n"
     "d.yaml:6:14: error: 's.names' is 'x', expected a list of texts\n",
     NULL},
    {"components: {s: {type: Source, properties: {limits: {low: a, hi: 2}}}}\n",
     "d.yaml:1:59: error: 's.limits.low' is 'a', expected a real number\n"
     "d.yaml:1:62: error: 's.limits' has no property 'hi' (known are low, high)\n",
     NULL},
    {"components: {s: {type: Source, properties: 5}}\n",
     "d.yaml:1:44: error: 'components.s.properties' is not a bag of properties\n", NULL},
    {"components:\n" SOURCE "  k: {type: Sink}\n",
     "d.yaml:3:3: error: 'k.label' is not set, expected a text (For the log.)\n", NULL},
    {"components:\n" SOURCE "  k: {type: Sink, properties: {label: [a]}}\n",
     "d.yaml:3:32: error: 'k.label' is a list, expected a text\n", NULL},
    {"components: {c: {type: Scale, properties: {mode: on}}}\n",
     "d.yaml:1:44: error: 'c' has no property 'mode' (known are factor)\n", NULL},
    /* services inside */
    {"components:\n  s: {type: Source, services: {x: {type: Scal}}}\n",
     "d.yaml:2:42: error: unknown component type 'Scal' (did you mean 'Scale'?)\n", NULL},
    {"components:\n  s: {type: Source, services: {x: {type: Scale, activity: main}}}\n",
     "d.yaml:2:49: error: 'components.s.services.x' has no property 'activity' (known are type, "
     "properties, property_file, needs)\n",
     NULL},
    {"components:\n  s: {type: Source, services: {x: {type: Scale, properties: {factor: a}}}}\n",
     "d.yaml:2:70: error: 's.x.factor' is 'a', expected a real number\n", NULL},
    {"components:\n  s: {type: Source, services: [x]}\n",
     "d.yaml:2:21: error: 'components.s.services' is not a bag of properties\n", NULL},
    {"components:\n  s: {type: Source, services: {x: Scale}}\n",
     "d.yaml:2:35: error: 'components.s.services.x' is 'Scale', expected a bag of properties\n"
     "d.yaml:2:32: error: 'components.s.services.x.type' is not set, expected a text (Name of a "
     "component type.)\n",
     NULL},
    /* connections */
    {"components:\n" SOURCE GAIN "connections:\n  - s.out -> g.in\n  - s -> g.in\n",
     "d.yaml:6:5: error: 's' is not of the form component.port\n", NULL},
    {"components:\n" SOURCE SINK "connections:\n  - s.out - k.in\n",
     "d.yaml:5:5: error: 's.out - k.in' is not a connection, expected 'component.port -> "
     "component.port'\n",
     NULL},
    {"components:\n" SOURCE SINK "connections:\n  - s.out -> kk.in\n  - sorc.out -> k.in\n",
     "d.yaml:5:14: error: unknown component 'kk' (did you mean 'k'?)\n"
     "d.yaml:6:5: error: unknown component 'sorc'\n",
     NULL},
    {"components:\n  source: {type: Source}\n" SINK "connections:\n  - sorce.out -> k.in\n",
     "d.yaml:5:5: error: unknown component 'sorce' (did you mean 'source'?)\n", NULL},
    {"components:\n" SOURCE SINK "connections:\n  - s.ouput -> k.inn\n",
     "d.yaml:5:5: error: 's' (Source) has no port 'ouput' (did you mean 'out'?)\n"
     "d.yaml:5:16: error: 'k' (Sink) has no port 'inn' (did you mean 'in'?)\n",
     NULL},
    {"components:\n" SOURCE SINK "connections:\n  - k.in -> s.out\n",
     "d.yaml:5:5: error: 'k.in' is an input, expected an output (a connection goes from an output "
     "to an input)\n",
     NULL},
    {"components:\n" SOURCE SINK "connections:\n  - s.out -> k.out\n",
     "d.yaml:5:14: error: 'k.out' is an output, expected an input (a connection goes from an "
     "output to an input)\n",
     NULL},
    {"components:\n" SOURCE SINK "connections:\n  - s.out -> k.tick\n",
     "d.yaml:5:5: error: 's.out' sends Vector3, 'k.tick' takes TimerEvent\n", NULL},
    {"components:\n" SOURCE "  t: {type: Source}\n" GAIN
     "connections:\n  - s.out -> g.in\n  - t.out -> g.in\n",
     "d.yaml:7:5: error: 'g.in' already has a writer: 's.out', in line 6\n", NULL},
    {"components:\n" SOURCE SINK "connections:\n  - s.out -> k.in\n  - s.out->k.in\n",
     "d.yaml:6:5: error: 's.out -> k.in' appears twice, first in line 5\n", NULL},
    {"components:\n" SOURCE SINK "connections:\n  - {from: s.out, to: k.in, buffer: -1}\n"
     "  - {from: s.out, to: k.back, overflow: drop}\n",
     "d.yaml:5:37: error: 'connections[0].buffer' is -1, expected 0 .. 65536 messages\n"
     "d.yaml:6:41: error: 'connections[1].overflow' is 'drop', expected drop_oldest or refuse\n",
     NULL},
    {"components:\n" SOURCE SINK "connections:\n  - {from: s.out, too: k.in}\n",
     "d.yaml:5:19: error: 'connections[0]' has no property 'too' (did you mean 'to'?)\n"
     "d.yaml:5:5: error: 'connections[0].to' is not set, expected a text (The input: "
     "component.port.)\n",
     NULL},
    {"components:\n" SOURCE SINK "connections:\n  - [s.out, k.in]\n",
     "d.yaml:5:5: error: 'connections[0]' is a list, expected a bag of properties\n"
     "d.yaml:5:5: error: 'connections[0].from' is not set, expected a text (The output: "
     "component.port.)\n"
     "d.yaml:5:5: error: 'connections[0].to' is not set, expected a text (The input: "
     "component.port.)\n",
     NULL},
    {"components:\n" SOURCE SINK
     "connections:\n  - {from: , to: k.in}\n  - {from: s.out, to: {a: b}}\n",
     "d.yaml:5:12: error: '' is not of the form component.port\n"
     "d.yaml:6:19: error: 'connections[1].to' is a bag of properties, expected a text\n",
     NULL},
    {"components:\n" SOURCE "connections: s.out\n",
     "d.yaml:3:14: error: 'connections' is not a list\n", NULL},
    {"components:\n" SOURCE SINK "connections:\n  - s.out ->\n",
     "d.yaml:5:13: error: '' is not of the form component.port\n", NULL},
    /* the flow as a whole */
    {"components:\n" GAIN, "d.yaml:2:3: error: 'g.in' has no writer but requires one\n", NULL},
    {"components:\n" GAIN "  h: {type: Gain}\nconnections:\n  - g.out -> h.in\n  - h.out -> g.in\n",
     "d.yaml:6:5: error: a loop in the data flow: g -> h -> g (mark one of its connections as "
     "delayed: true)\n",
     NULL},
    {"components:\n" SOURCE GAIN SINK
     "connections:\n  - s.out -> k.in\n  - k.out -> g.in\n  - g.out -> k.in\n",
     "d.yaml:8:5: error: a loop in the data flow: k -> g -> k (mark one of its connections as "
     "delayed: true)\n",
     NULL},
    {"components:\n  g: {type: Gain, services: {h: {type: Gain}}}\n"
     "connections: [g.out -> g.h.in, g.h.out -> g.in]\n",
     "d.yaml:3:32: error: a loop in the data flow: g -> g.h -> g (mark one of its connections as "
     "delayed: true)\n",
     NULL},
    /* needs */
    {"components: {k: {type: Sink, properties: {label: x}}}\n",
     "d.yaml:1:14: error: 'k.reset' needs reset, and no component provides it\n", NULL},
    {"components:\n" SOURCE "  t: {type: Source}\n" SINK,
     "d.yaml:4:3: error: 'k.reset' needs reset, and several components provide it: s, t (needs: "
     "{reset: s})\n",
     NULL},
    {"components:\n" SOURCE "  k: {type: Sink, properties: {label: x}, needs: {rest: s}}\n",
     "d.yaml:3:51: error: 'k' (Sink) has no need 'rest' (did you mean 'reset'?)\n", NULL},
    {"components:\n" SOURCE "  k: {type: Sink, properties: {label: x}, needs: {reset: z}}\n",
     "d.yaml:3:58: error: unknown component 'z'\n", NULL},
    {"components:\n" SOURCE "  k: {type: Sink, properties: {label: x}, needs: {reset: s.rest}}\n",
     "d.yaml:3:58: error: 's' (Source) has no operation 'rest'\n", NULL},
    {"components:\n" SOURCE
     "  f: {type: Faulty}\n  k: {type: Sink, properties: {label: x}, needs: {reset: f}}\n",
     "d.yaml:4:58: error: 'k.reset' needs the operation 'reset', which 'f' (Faulty) does not "
     "have\n",
     NULL},
    {"components:\n" SOURCE "  k: {type: Sink, properties: {label: x}, needs: {reset: [s]}}\n",
     "d.yaml:3:51: error: 'k.needs.reset' is not the name of a component\n", NULL},
    {"components:\n" SOURCE "  k: {type: Sink, properties: {label: x}, needs: {reset: }}\n",
     "d.yaml:3:58: error: 'k' requires 'reset'\n", NULL},
    {"components:\n" SOURCE "  g: {type: Gain, needs: {scaler: s}}\nconnections: [s.out -> g.in]\n",
     "d.yaml:3:35: error: 'g.scaler' needs Scaler, which 's' (Source) does not provide\n", NULL},
    {"components:\n" SOURCE GAIN
     "  a: {type: Scale}\n  b: {type: Scale}\nconnections: [s.out -> g.in]\n",
     "d.yaml:3:3: error: 'g.scaler' needs Scaler, and several components provide it: a, b (needs: "
     "{scaler: "
     "a})\n",
     NULL},
    {"components:\n" SOURCE "  g: {type: Gain, services: {a: {type: Scale}, b: {type: Scale}}}\n"
     "connections: [s.out -> g.in]\n",
     "d.yaml:3:3: error: 'g.scaler' needs Scaler, and several components provide it: g.a, g.b "
     "(needs: {scaler: "
     "g.a})\n",
     NULL},
    {"components:\n" SOURCE "  g: {type: Gain, needs: [s]}\nconnections: [s.out -> g.in]\n",
     "d.yaml:3:19: error: 'components.g.needs' is not a bag of properties\n", NULL},
    /* settings */
    {"components:\n" SOURCE, "--set:1:13: error: 's.amplitude' is 20, expected 0 .. 10 m\n",
     "s.amplitude=20"},
    {"components:\n" SOURCE,
     "--set:1:3: error: 's' has no property 'amplitud' (did you mean 'amplitude'?)\n",
     "s.amplitud=1"},
    {"components:\n" SOURCE, "--set:1:1: error: unknown component or activity 't'\n", "t.x=1"},
    {"components: {source: {type: Source}}\n",
     "--set:1:1: error: unknown component or activity 'sourc' (did you mean 'source'?)\n",
     "sourc.x=1"},
    {"components:\n" SOURCE,
     "--set:1:1: error: 's.amplitude' is not of the form component.property=value\n",
     "s.amplitude"},
    {"components:\n" SOURCE, "--set:1:1: error: 's' is not of the form component.property=value\n",
     "s=1"},
    {"components:\n" SOURCE, "--set:1:1: error: 's.' is not of the form component.property=value\n",
     "s.=1"},
    {"components:\n" SOURCE, "--set:1:1: error: '' is not of the form component.property=value\n",
     "=1"},
    {"components:\n" SOURCE,
     "--set:2:1: error: not well-formed YAML: did not find expected ',' or ']'\n", "s.names=[a"},
    {"components:\n" SOURCE,
     "--set:1:13: error: 'activities.main.period' is 'fast', expected a real number\n",
     "main.period=fast"},
    {"components:\n" SOURCE,
     "--set:1:6: error: 'activities.main' has no property 'peroid' (did you mean 'period'?)\n",
     "main.peroid=1"},
    {"components:\n" SOURCE, "--set:1:14: error: 's.limits.low' is 'x', expected a real number\n",
     "s.limits.low=x"},
    {"components:\n" SOURCE,
     "--set:1:1: error: 's.a.b.c.d.e.f.g.h.i' is not of the form component.property=value\n",
     "s.a.b.c.d.e.f.g.h.i=1"},
    {"components:\n  s: {type: Source, services: {x: {type: Scale}}}\n",
     "--set:1:12: error: 's.x.factor' is 'b', expected a real number\n", "s.x.factor=b"},
    /* many at once, in the order of the file's parts */
    {"foo: 1\nactivities: {a: {period: x}}\ncomponents:\n  s: {type: Source, activity: b,\n"
     "      properties: {amplitude: 99}}\n  z: {type: Nothing}\nconnections:\n"
     "  - s.out -> z.in\n  - s.in -> s.out\n",
     "d.yaml:1:1: error: unknown property 'foo' (known are components, connections, "
     "activities, "
     "include, robot, robot_arguments, plugins, capacity, kinematics_chains, chains, contacts, "
     "groups, joint_limits, poses)\n"
     "d.yaml:2:26: error: 'activities.a.period' is 'x', expected a real number\n"
     "d.yaml:4:31: error: unknown activity 'b'\n"
     "d.yaml:5:31: error: 's.amplitude' is 99, expected 0 .. 10 m\n"
     "d.yaml:6:13: error: unknown component type 'Nothing' (it may be in a plugin: "
     "plugins: "
     "[libmy_components.so])\n"
     "d.yaml:9:5: error: 's' (Source) has no port 'in'\n"
     "d.yaml:9:13: error: 's.out' is an output, expected an input (a connection goes from an "
     "output "
     "to an input)\n",
     NULL},
};

SN_TEST(every_problem_is_reported_with_its_place) {
  size_t wrong = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig r;
    rig_start(&r);
    const sn_status status = rig_parse(&r, cases[i].yaml, cases[i].setting);
    const char *problems = sn_test_problems(r.report);
    if (status != SN_EINVAL || r.deployment != NULL || strcmp(problems, cases[i].problems) != 0) {
      print_error("case %zu, %s\n%s%s%s\ngives\n%sexpected\n%s\n", i, sn_status_text(status),
                  cases[i].yaml, cases[i].setting == NULL ? "" : "--set ",
                  cases[i].setting == NULL ? "" : cases[i].setting, problems, cases[i].problems);
      wrong++;
    }
    rig_free(&r);
  }
  assert_int_equal(wrong, 0);
  assert_true(sizeof cases / sizeof *cases >= 60);
}

/* Whatever is cut off or doubled: a verdict, and never one without a problem. */
SN_TEST(truncated_files_are_checked_too) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (size_t length = 0; length < strlen(cases[i].yaml); length += 3) {
      rig r;
      rig_start(&r);
      const sn_deployment_config config = {.registry = r.registry};
      const sn_status status = sn_deployment_parse(&r.arena, cases[i].yaml, length, "d.yaml",
                                                   &config, r.report, &r.deployment);
      assert_int_equal(status == SN_OK, sn_report_error_count(r.report) == 0);
      assert_int_equal(status == SN_OK, r.deployment != NULL);
      rig_free(&r);
    }
  }
}

SN_TEST(too_much_is_refused) {
  const size_t size = 1 << 20;
  char *text = malloc(size);
  rig r;
  rig_start(&r);
  size_t used = (size_t)snprintf(text, size, "components:\n");
  for (int i = 0; i <= SN_DEPLOYMENT_COMPONENTS_MAX; i++) {
    used += (size_t)snprintf(text + used, size - used, "  s%d: {type: Source}\n", i);
  }
  assert_int_equal(rig_parse(&r, text, NULL), SN_EINVAL);
  sn_assert_problems(r.report,
                     "d.yaml:1:1: error: there are 1025 components, at most 1024 are allowed\n");
  rig_free(&r);
  rig_start(&r);
  used = (size_t)snprintf(text, size, "components: {s: {type: Source}}\nconnections:\n");
  for (int i = 0; i <= SN_DEPLOYMENT_CONNECTIONS_MAX; i++) {
    used += (size_t)snprintf(text + used, size - used, " - s.out -> s.in\n");
  }
  assert_int_equal(rig_parse(&r, text, NULL), SN_EINVAL);
  sn_assert_problems(r.report,
                     "d.yaml:2:1: error: there are 16385 connections, at most 16384 are allowed\n");
  rig_free(&r);
  free(text);
}
