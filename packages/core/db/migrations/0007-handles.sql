-- A handle that is given up stays its owner's for a while, so that an old @name never calls somebody new. Until now a handle was its
-- owner's for as long as they were in the house; what was given up before today counts from today.
alter table handles add column handle text;
-- Null while it is in use. The owner's row of the time goes on when it is taken back, or when somebody else takes it afterwards.
alter table handles add column released_at timestamptz;

update handles h set handle = now.handle
  from (
    select house_id, id, handle, handle_key from members
    union all
    select house_id, id, handle, handle_key from agents
  ) now
  where now.house_id = h.house_id and now.id = h.owner_id and now.handle_key = h.handle_key;
update handles set handle = handle_key, released_at = clock_timestamp() where handle is null;

alter table handles alter column handle set not null;
create index handles_by_owner on handles (house_id, owner_id);
