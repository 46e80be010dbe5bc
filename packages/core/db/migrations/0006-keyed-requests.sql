-- A request that makes something and is sent again, under the same key, finds what it made. Appends keep their key on the entry itself.
create table keyed_requests (
  house_id text not null,
  key text not null,
  -- Of what was sent: the same key with other words is refused.
  hash text not null,
  -- Id of what it made.
  made text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (house_id, key)
);

-- The edits and the deletion of one message, however long ago it was written.
create index entries_by_target on entries (thread_id, (body ->> 'target'))
  where kind in ('chat.edit', 'chat.delete');

-- Who joined or left a thread lately: what a live feed looks for, to follow threads that are new to its reader.
create index entries_of_rosters on entries (created_at) where kind in ('thread.people', 'thread.bots');
