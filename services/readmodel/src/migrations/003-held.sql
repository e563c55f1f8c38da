-- A rebuild that an operator asked for: it is built and kept at the log's head, and read only once it is switched to.
alter table readmodel.generations add column is_held boolean not null default false;
create unique index one_held_generation on readmodel.generations (set_name) where is_held;
-- When it had caught up and had all its indexes: from then on it can be read.
alter table readmodel.generations add column ready_at timestamptz;
update readmodel.generations set ready_at = updated_at where status <> 'building';
-- When a switch to it, or away from it, began. For a moment some processes read one generation and some the other, so that for so
-- long an answer waits until its write is in both.
alter table readmodel.generations add column switching_at timestamptz;
