#include "foxglove/pool_task.h"

#include <stdlib.h>

#include "foxglove/server_internal.h"

static bool run(sn__remote_job *job, sn__remote_lane lane) {
  sn__fox_task *task = (sn__fox_task *)job;
  if (task->is_slow && lane == SN__REMOTE_QUICK) {
    return false;
  }
  task->work(task->server, task);
  return true;
}

sn__fox_task *sn__fox_task_create(sn__fox_server *server, sn__fox_work *work,
                                  sn__fox_finish *finish) {
  sn__fox_task *task = calloc(1, sizeof *task);
  if (task != NULL) {
    task->job.run = run;
    task->server = server;
    task->work = work;
    task->finish = finish;
    task->next = server->tasks;
    if (task->next != NULL) {
      task->next->previous = task;
    }
    server->tasks = task;
  }
  return task;
}

void sn__fox_task_free(sn__fox_task *task) {
  if (task->previous != NULL) {
    task->previous->next = task->next;
  } else {
    task->server->tasks = task->next;
  }
  if (task->next != NULL) {
    task->next->previous = task->previous;
  }
  for (size_t i = 0; task->values != NULL && i < task->server->catalog.parameter_count; i++) {
    free(task->values[i]);
  }
  free(task->values);
  free(task->watched);
  free(task->text);
  json_decref(task->json);
  sn__buffer_free(&task->reply);
  free(task);
}

static void submit_next(sn__fox_client *client) {
  sn__fox_task *task = client->tasks.first;
  if (client->is_working || task == NULL) {
    return;
  }
  client->tasks.first = task->following;
  client->tasks.last = task->following == NULL ? NULL : client->tasks.last;
  client->is_working = true;
  sn__remote_pool_add(&task->server->pool, &task->job);
}

bool sn__fox_task_submit(sn__fox_task *task, sn__fox_client *client) {
  if (client == NULL) {
    sn__remote_pool_add(&task->server->pool, &task->job);
    return true;
  }
  if (client->task_count == SN__FOX_TASKS_MAX) {
    sn__fox_task_free(task);
    return false;
  }
  task->client = client->number;
  client->task_count++;
  if (client->tasks.last == NULL) {
    client->tasks.first = task;
  } else {
    client->tasks.last->following = task;
  }
  client->tasks.last = task;
  submit_next(client);
  return true;
}

void sn__fox_task_submit_urgent(sn__fox_task *task, const sn__fox_client *client) {
  task->client = client->number;
  task->job.is_urgent = true;
  sn__remote_pool_add(&task->server->pool, &task->job);
}

static sn__fox_client *find_client(const sn__fox_server *server, uint64_t number) {
  for (sn__fox_client *client = server->clients; client != NULL; client = client->next) {
    if (client->number == number) {
      return client;
    }
  }
  return NULL;
}

void sn__fox_tasks_collect(sn__fox_server *server) {
  for (sn__remote_job *job = sn__remote_pool_take_done(&server->pool); job != NULL;
       job = sn__remote_pool_take_done(&server->pool)) {
    sn__fox_task *task = (sn__fox_task *)job;
    sn__fox_client *client = task->client == 0 ? NULL : find_client(server, task->client);
    const bool was_queued = client != NULL && !task->job.is_urgent;
    server->counts.requests += client != NULL;
    if (was_queued) {
      client->is_working = false;
      client->task_count--;
    }
    task->finish(server, client, task);
    sn__fox_task_free(task);
    if (was_queued) {
      submit_next(client);
    }
  }
}

void sn__fox_tasks_cancel(sn__fox_client *client) {
  while (client->tasks.first != NULL) {
    sn__fox_task *task = client->tasks.first;
    client->tasks.first = task->following;
    sn__fox_task_free(task);
  }
  client->tasks.last = NULL;
}

void sn__fox_tasks_end(sn__fox_server *server) {
  while (server->tasks != NULL) {
    if (server->tasks->undo != NULL) {
      server->tasks->undo(server->tasks);
    }
    sn__fox_task_free(server->tasks);
  }
}
