-- For the audit log, which finds rejections by the ID of the request.
create index rejections_by_first_request on activity.rejections (project_id, first_request_id);
create index rejections_by_last_request on activity.rejections (project_id, last_request_id);
