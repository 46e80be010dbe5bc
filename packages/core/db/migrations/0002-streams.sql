-- How an entry gets into a thread's stream.
--
-- Offsets are dense and appear in order: entry n is committed before anyone can see n + 1. A sequence cannot give that, since
-- commits do not happen in the order numbers are drawn, and a reader that remembers the highest number it saw then misses what
-- commits late. So the number comes from `threads.head` under the lock on that row: who holds it is the thread's only writer
-- until it commits.
--
-- The functions are plpgsql, and each of their statements takes a snapshot of its own. Everything that depends on what other
-- writers did (is the key taken? what is the head?) stands in a statement AFTER the one that waited for the lock. Written as one
-- statement the same logic looks through a snapshot older than the lock, and of two appends with one key the second fails
-- instead of finding the first.
--
-- Locks are taken in one order everywhere: the director's row, then the thread, then the queue row. A writer that takes several
-- threads takes them by id.
--
-- Nothing here notifies: a transaction that notifies holds a lock of the whole server over its commit, which made appends four to
-- eight times slower. Hints are sent after the commit, and nothing depends on them.

-- Says that the thread may have something to decide; in an append it commits with what is to be decided. Every call moves rev to
-- a value never used before, also for a row that was deleted and born again, so that who read rev can tell whether a wake came
-- since. A thread that backs off after a failure keeps its time.
create function wake_thread(p_thread text) returns void language plpgsql as $$
begin
  insert into dispatch as d (key) values ('thread:' || p_thread)
  on conflict (key) do update set
    rev = nextval('dispatch_rev'),
    run_at = case when d.attempts > 0 then d.run_at else least(d.run_at, clock_timestamp()) end;
end
$$;

-- Appends one entry: {key, kind, authorId, authorKind, wakes, readable, causedBy, hops, body}.
-- status: ok | duplicate (the same entry is there: its offset) | conflict (the key belongs to another entry) | gone (no thread)
create function append_entry(
  p_house text, p_thread text, p_entry jsonb,
  out status text, out seq bigint, out created_at timestamptz
) language plpgsql as $$
#variable_conflict use_column
declare
  v_head bigint;
  v_wakes boolean := (p_entry ->> 'wakes')::boolean;
begin
  select t.head into v_head from threads t
    where t.house_id = p_house and t.id = p_thread
    for no key update;
  if not found then
    status := 'gone';
    return;
  end if;

  select
      case when e.kind = p_entry ->> 'kind' and e.author_id = p_entry ->> 'authorId' and e.body = p_entry -> 'body'
        then 'duplicate' else 'conflict' end,
      e.seq, e.created_at
    into status, seq, created_at
    from entries e where e.thread_id = p_thread and e.key = p_entry ->> 'key';
  if found then
    return;
  end if;

  insert into entries (
    house_id, thread_id, seq, key, kind, author_id, author_kind, wakes, readable, caused_by, hops, body
  ) values (
    p_house, p_thread, v_head + 1, p_entry ->> 'key', p_entry ->> 'kind', p_entry ->> 'authorId', p_entry ->> 'authorKind',
    v_wakes, (p_entry ->> 'readable')::boolean, (p_entry ->> 'causedBy')::bigint, (p_entry ->> 'hops')::int, p_entry -> 'body'
  ) returning entries.seq, entries.created_at into seq, created_at;
  status := 'ok';

  update threads t set
    head = v_head + 1,
    wake_head = case when v_wakes then v_head + 1 else t.wake_head end,
    last_at = clock_timestamp()
    where t.house_id = p_house and t.id = p_thread;
  if v_wakes then
    perform wake_thread(p_thread);
  end if;
end
$$;

-- Appends many in the order given, one result an item in the same order: entries as above, each with its houseId and threadId. What
-- waits in one process goes in one transaction, one commit for all of it. Judged and written as sets: one call of append_entry
-- an item took half as long again, since each rewrote its thread's row.
create function append_entries(p_batch jsonb)
returns table (status text, seq bigint, created_at timestamptz) language plpgsql as $$
#variable_conflict use_column
begin
  -- limit 1, here and below: a look into an index an item, whatever the planner believes about the tables' sizes.
  perform 1
    from (
      select distinct x ->> 'houseId' as house, x ->> 'threadId' as thread
        from jsonb_array_elements(p_batch) x order by thread
    ) w
    cross join lateral (
      select 1 from threads t where t.house_id = w.house and t.id = w.thread limit 1 for no key update
    ) locked;

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
      from judged j where j.head is not null and j.stored_seq is null and j.nth_of_key = 1
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
