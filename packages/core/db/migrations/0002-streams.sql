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
create function wake_thread(p_thread text) returns void language sql as $$
  insert into dispatch as d (key) values ('thread:' || p_thread)
  on conflict (key) do update set
    rev = nextval('dispatch_rev'),
    run_at = case when d.attempts > 0 then d.run_at else least(d.run_at, clock_timestamp()) end
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

-- Appends [{house, thread, entry}, …] in this order, one result an item in the same order. What waits in one process goes in one
-- transaction: one commit for all of it.
create function append_entries(p_batch jsonb)
returns table (status text, seq bigint, created_at timestamptz) language plpgsql as $$
declare
  v_item jsonb;
begin
  perform 1 from threads t
    where t.id in (select x ->> 'thread' from jsonb_array_elements(p_batch) x)
    order by t.id
    for no key update;
  for v_item in select x from jsonb_array_elements(p_batch) x loop
    return query select a.status, a.seq, a.created_at
      from append_entry(v_item ->> 'house', v_item ->> 'thread', v_item -> 'entry') a;
  end loop;
end
$$;
