#include "msg/types/msg_counts.h"

#include "msg/table.h"

static const sn_msg_field count_fields[] = {
    SN_MSG_FIELD(sn_gate_count, "of", of, ""),
    SN_MSG_FIELD(sn_gate_count, "name", name, ""),
    SN_MSG_FIELD(sn_gate_count, "what", what, ""),
    SN_MSG_FIELD(sn_gate_count, "count", count, ""),
};
const sn_msg_type sn_gate_count_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "GateCount"),
                                        .brief = "A counter.", .size = sizeof(sn_gate_count),
                                        SN__FIELDS(count_fields)};

static const sn_msg_field list_fields[] = {
    SN_MSG_FIELD_NESTED(sn_gate_count_list, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_gate_count_list, "counts", counts, &sn_gate_count_type, ""),
    SN_MSG_FIELD(sn_gate_count_list, "complete", complete, ""),
};
const sn_msg_type sn_gate_count_list_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "GateCountList"),
    .brief = "Counters of accepted and rejected references.", .size = sizeof(sn_gate_count_list),
    SN__FIELDS(list_fields)};
