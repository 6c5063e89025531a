#include "run/control_stop.h"

bool control_stop_hear(control_peer *peer) {
  sn__stop_line *line = &peer->stop_line;
  if (!sn__stop_line_read(peer->in + peer->in_start, peer->line_length - 1, line)) {
    return false;
  }
  peer->stop = sn__remote_stop_hear(peer->request.context->system, line->who, line->why);
  return true;
}

bool control_stop_answer(sn__remote_job *job, sn__remote_lane lane) {
  (void)lane;
  control_peer *peer = (control_peer *)job; /* its first member */
  sn__remote_stop_answer(peer->request.context->system, &peer->stop, peer->stop_line.id,
                         peer->stop_line.is_call, &peer->answer);
  return true;
}
