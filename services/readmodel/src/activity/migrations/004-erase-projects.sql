-- Find the rows of a deleted project. `users` and `days` have such an index.
create index sessions_by_project on activity.sessions (project_id);
create index api_keys_by_project on activity.api_keys (project_id);
