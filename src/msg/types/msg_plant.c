#include "msg/types/msg_plant.h"

#include "msg/table.h"

static const sn_msg_field fields[] = {
    SN_MSG_FIELD(sn_plant_report, "goals_taken", goals_taken, ""),
    SN_MSG_FIELD(sn_plant_report, "goals_refused", goals_refused, ""),
    SN_MSG_FIELD(sn_plant_report, "goals_unknown", goals_unknown, ""),
    SN_MSG_FIELD(sn_plant_report, "goals_lost", goals_lost, ""),
    SN_MSG_FIELD(sn_plant_report, "pushes_refused", pushes_refused, ""),
    SN_MSG_FIELD(sn_plant_report, "measured", measured, ""),
    SN_MSG_FIELD(sn_plant_report, "measured_lost", measured_lost, ""),
    SN_MSG_FIELD(sn_plant_report, "dropouts", dropouts, ""),
};
const sn_msg_type sn_plant_report_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "PlantReport"),
                                          .brief = "Counters of a simulated robot.",
                                          .size = sizeof(sn_plant_report), SN__FIELDS(fields)};

static const sn_msg_field place_fields[] = {
    SN_MSG_FIELD_NESTED(sn_plant_place, "base", base, &sn_pose_type, "m"),
    SN_MSG_FIELD(sn_plant_place, "on_ground", on_ground, ""),
    SN_MSG_FIELD(sn_plant_place, "name", name, ""),
    SN_MSG_FIELD(sn_plant_place, "position", position, "rad or m"),
};
const sn_msg_type sn_plant_place_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "PlantPlace"),
                                         .brief = "Where to place a simulated robot.",
                                         .size = sizeof(sn_plant_place), SN__FIELDS(place_fields)};

static const sn_msg_field placed_fields[] = {
    SN_MSG_FIELD_NESTED(sn_plant_placed, "base", base, &sn_pose_type, "m"),
    SN_MSG_FIELD(sn_plant_placed, "lifted", lifted, "m"),
};
const sn_msg_type sn_plant_placed_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "PlantPlaced"), .brief = "Where a simulated robot was placed.",
    .size = sizeof(sn_plant_placed), SN__FIELDS(placed_fields)};
