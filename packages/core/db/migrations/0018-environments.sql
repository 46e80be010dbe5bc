-- What a house's threads can be bound to: where their bots run commands, and with what.
create table environments (
  house_id text not null references houses (id),
  id text not null,
  name text not null,
  provider text not null,
  network text not null check (network in ('none', 'open')),
  variables jsonb not null default '{}',
  removed_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  primary key (house_id, id)
);
create unique index environments_by_name on environments (house_id, lower(name)) where removed_at is null;

-- The boxes that were made for them. A box outlives what runs in it.
create table sandboxes (
  house_id text not null,
  environment_id text not null,
  provider text not null,
  ref text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (house_id, provider, ref),
  foreign key (house_id, environment_id) references environments (house_id, id)
);
create unique index sandboxes_by_environment on sandboxes (house_id, environment_id);
