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
