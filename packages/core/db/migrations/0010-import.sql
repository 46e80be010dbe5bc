-- The run of imported entries in (imported_after, imported_to]. While it is the stream's end, it is news to nobody.
alter table threads
  add column imported_after bigint not null default 0,
  add column imported_to bigint not null default 0;
