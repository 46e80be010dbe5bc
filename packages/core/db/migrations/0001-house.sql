-- Every table carries house_id in its key: one house's rows can live on one server or one shard.
create table houses (
  id text primary key,
  name text not null,
  default_trigger_mode text not null default 'auto',
  director_model text,
  limit_per_bot int not null default 3,
  limit_per_thread int not null default 8,
  budget_per_day numeric,
  rev bigint not null default 1,
  created_at timestamptz not null default clock_timestamp()
);

create table members (
  house_id text not null references houses (id),
  id text not null,
  name text not null,
  handle text not null,
  handle_key text not null,
  role text not null check (role in ('owner', 'admin', 'member', 'guest')),
  removed_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  primary key (house_id, id)
);

create table agents (
  house_id text not null references houses (id),
  id text not null,
  kind text not null check (kind in ('bot', 'system')),
  name text not null,
  handle text not null,
  handle_key text not null,
  description text not null default '',
  prompt text not null default '',
  voice text not null default '',
  model text not null default '',
  trigger_mode text check (trigger_mode in ('always', 'auto', 'mention', 'never')),
  arbe_context boolean not null default true,
  tools_allow jsonb,
  tools_deny jsonb not null default '[]',
  -- Driven from outside with its own token: never a candidate.
  external boolean not null default false,
  rev bigint not null default 1,
  removed_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  primary key (house_id, id)
);
create unique index agents_one_system on agents (house_id) where kind = 'system';

-- Handles of people and bots are one name space, kept apart from their owners so that one index guards both.
create table handles (
  house_id text not null,
  handle_key text not null,
  owner_id text not null,
  primary key (house_id, handle_key)
);

create table tokens (
  hash text primary key,
  kind text not null check (kind in ('owner_link', 'invitation', 'ses', 'pat', 'bot')),
  house_id text not null references houses (id),
  actor_id text,
  role text,
  label text not null default '',
  expires_at timestamptz,
  used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
create index tokens_by_actor on tokens (house_id, actor_id);

create table threads (
  house_id text not null references houses (id),
  id text not null,
  title text not null default '',
  head bigint not null default 0,
  wake_head bigint not null default 0,
  parent jsonb,
  environment_id text,
  banter boolean not null default false,
  limit_per_bot int,
  limit_per_thread int,
  hops int not null default 0,
  rev bigint not null default 1,
  created_by text not null,
  archived_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  last_at timestamptz not null default clock_timestamp(),
  primary key (house_id, id)
-- Every append rewrites the row: with room in its page and no index on what moves (head, last_at) it stays cheap.
) with (fillfactor = 70);
create unique index threads_by_id on threads (id);

create table thread_people (
  house_id text not null,
  thread_id text not null,
  member_id text not null,
  primary key (house_id, thread_id, member_id)
);
create index thread_people_by_member on thread_people (house_id, member_id);

create table thread_bots (
  house_id text not null,
  thread_id text not null,
  bot_id text not null,
  trigger_mode text check (trigger_mode in ('always', 'auto', 'mention', 'never')),
  muted boolean not null default false,
  added_at timestamptz not null default clock_timestamp(),
  primary key (house_id, thread_id, bot_id)
);
create index thread_bots_by_bot on thread_bots (house_id, bot_id);

create table entries (
  house_id text not null,
  thread_id text not null,
  seq bigint not null,
  key text not null,
  kind text not null,
  author_id text not null,
  author_kind text not null,
  wakes boolean not null,
  readable boolean not null,
  caused_by bigint,
  hops int not null default 0,
  body jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (house_id, thread_id, seq),
  unique (thread_id, key)
);
create index entries_waking on entries (thread_id, seq) where wakes;
-- What a reader needs besides the unread: texts, and what edits or deletes them.
create index entries_readable on entries (thread_id, seq desc) where readable;
create index entries_of_turn on entries (thread_id, caused_by) where caused_by is not null;
create index entries_of_director on entries (thread_id, seq desc) where author_kind = 'director';

create sequence director_fence;
create table thread_directors (
  thread_id text primary key,
  house_id text not null,
  decided_offset bigint not null default 0,
  -- Rebuildable cache of the last readable entries up to tail_to; dropped with the row without loss.
  tail jsonb not null default '[]',
  tail_to bigint not null default 0,
  wakes bigint not null default 0,
  holder text,
  fence bigint not null default 0,
  lease_until timestamptz,
  attempts int not null default 0,
  retry_at timestamptz,
  last_error text,
  d bigint not null default 0,
  -- Body of the last decision: what a later pass must know travels on it.
  last_decision jsonb,
  -- Null while the last decision's outcome is not stored.
  last_outcome jsonb
) with (fillfactor = 70);

create sequence dispatch_rev;
-- Only "something may be due": the key de-duplicates, rev moves with every wake. No lease here.
create table dispatch (
  key text primary key,
  rev bigint not null default nextval('dispatch_rev'),
  run_at timestamptz not null default clock_timestamp(),
  attempts int not null default 0,
  last_error text
) with (fillfactor = 70);
create index dispatch_due on dispatch (run_at);

-- One row before every model call, settled after it; unfenced, so that the spend of a worker that lost its lease still counts.
create table ledger (
  call_id text primary key,
  house_id text not null,
  thread_id text not null,
  decision bigint not null,
  bot_id text,
  purpose text not null check (purpose in ('decide', 'turn')),
  model text not null,
  usage jsonb,
  cost numeric not null default 0,
  error text,
  started_at timestamptz not null default clock_timestamp(),
  settled_at timestamptz
);
create index ledger_by_house_day on ledger (house_id, started_at);
create index ledger_by_thread on ledger (thread_id, decision);

create table files (
  house_id text not null,
  path text not null,
  version bigint not null,
  content text not null,
  author_id text not null,
  -- The tool call that wrote it: a call that runs again finds its own version and writes none.
  effect_key text not null,
  deleted boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  primary key (house_id, path, version),
  unique (house_id, path, effect_key)
);
