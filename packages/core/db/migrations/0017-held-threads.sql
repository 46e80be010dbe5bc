-- One lane carries all appends of a process, and a transaction that stands still, such as that of a worker which was stopped in the
-- middle of a tool's effect, keeps its thread locked for up to 30 s. Whoever says something in that thread has to wait. Nobody
-- else does: the lane passes over threads that are held, and their appends wait apart.

-- What follows the lock in an append of many: as before, and of threads in p_held nothing is written.
create function append_locked_entries(p_batch jsonb, p_held text[])
returns table (status text, seq bigint, created_at timestamptz) language plpgsql as $$
#variable_conflict use_column
begin
  return query
  with item as materialized (
    select i.* from rows from (jsonb_to_recordset(p_batch) as (
      "houseId" text, "threadId" text, key text, kind text, "authorId" text, "authorKind" text,
      wakes boolean, readable boolean, "causedBy" bigint, hops int, body jsonb
    )) with ordinality as i (house, thread, key, kind, author, author_kind, wakes, readable, caused_by, hops, body, ord)
  ), judged as materialized (
    select i.*, t.head, e.seq as stored_seq, e.created_at as stored_at, e.is_same,
        row_number() over (partition by i.thread, i.key order by i.ord) as nth_of_key
      from item i
      left join lateral (select t.head from threads t where t.house_id = i.house and t.id = i.thread limit 1) t on true
      left join lateral (
        select e.seq, e.created_at, e.kind = i.kind and e.author_id = i.author and e.body = i.body as is_same
          from entries e where e.thread_id = i.thread and e.key = i.key limit 1
      ) e on true
  ), fresh as materialized (
    select j.*, j.head + row_number() over (partition by j.thread order by j.ord) as seq
      from judged j where j.head is not null and j.thread <> all (p_held) and j.stored_seq is null and j.nth_of_key = 1
  ), written as (
    insert into entries (
      house_id, thread_id, seq, key, kind, author_id, author_kind, wakes, readable, caused_by, hops, body
    )
    select house, thread, seq, key, kind, author, author_kind, wakes, readable, caused_by, hops, body from fresh
    returning thread_id, key, created_at
  ), moved as (
    update threads t set
      head = f.head, wake_head = coalesce(f.wake_head, t.wake_head), last_at = clock_timestamp()
      from (
        select house, thread, max(seq) as head, max(seq) filter (where wakes) as wake_head from fresh group by house, thread
      ) f
      where t.house_id = f.house and t.id = f.thread
  ), woken as materialized (
    select wake_thread(w.thread) from (select distinct thread from fresh where wakes order by thread) w
  )
  select
      case
        when j.head is null then 'gone'
        when j.thread = any (p_held) then 'held'
        when j.ord = f.ord then 'ok'
        when j.is_same or (j.kind = f.kind and j.author = f.author and j.body = f.body) then 'duplicate'
        else 'conflict'
      end,
      coalesce(j.stored_seq, f.seq), coalesce(j.stored_at, w.created_at)
    from judged j
    left join fresh f on f.thread = j.thread and f.key = j.key
    left join written w on w.thread_id = f.thread and w.key = f.key
    -- A part of the query that nobody asks is not run.
    where (select count(*) from woken) >= 0
    order by j.ord;
end
$$;

create or replace function append_entries(p_batch jsonb)
returns table (status text, seq bigint, created_at timestamptz) language plpgsql as $$
begin
  -- limit 1: a look into an index an item, whatever the planner believes about the table's size.
  perform 1
    from (
      select distinct x ->> 'houseId' as house, x ->> 'threadId' as thread
        from jsonb_array_elements(p_batch) x order by thread
    ) w
    cross join lateral (
      select 1 from threads t where t.house_id = w.house and t.id = w.thread limit 1 for no key update
    ) locked;
  return query select * from append_locked_entries(p_batch, '{}');
end
$$;

-- As append_entries, without waiting: an item whose thread another transaction holds is answered 'held' and not written.
create function append_free_entries(p_batch jsonb)
returns table (status text, seq bigint, created_at timestamptz) language plpgsql as $$
declare
  v_held text[];
begin
  select coalesce(array_agg(w.thread) filter (where locked.id is null), '{}') into v_held
    from (
      select distinct x ->> 'houseId' as house, x ->> 'threadId' as thread
        from jsonb_array_elements(p_batch) x order by thread
    ) w
    left join lateral (
      select t.id from threads t where t.house_id = w.house and t.id = w.thread limit 1 for no key update skip locked
    ) locked on true;
  return query select * from append_locked_entries(p_batch, v_held);
end
$$;

-- As append_entries, and fails with lock_not_available when the wait for a thread takes longer.
create function append_entries_within(p_batch jsonb, p_ms int)
returns table (status text, seq bigint, created_at timestamptz) language plpgsql as $$
begin
  perform set_config('lock_timeout', p_ms::text, true);
  return query select * from append_entries(p_batch);
end
$$;
