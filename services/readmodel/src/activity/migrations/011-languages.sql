-- The language of the latest use that named one, for emails that no request of the user causes.
alter table activity.users add column language text;
