-- The thread director's row: one live lease a thread, and how far its stream has been decided.
--
-- The hard part is that four parties meet here: who holds the thread, who wants it, who stops it, and everybody who appends to it.
-- What keeps them apart:
--
-- * Locks are taken in one order, the director's row → the thread → the queue row, by every function here. An append needs no
--   director's row and takes the other two in the same order. The reverse deadlocks as soon as a close meets an append.
-- * A holder is its fence. Fences come from the sequence director_fence and never from the row, so that a row that was dropped and
--   rebuilt cannot hand out a number that a forgotten holder still carries. Every write between claim and release first finds its
--   fence in the row, the lease not lapsed, and keeps the row locked until it commits: who takes the thread over waits for it, and
--   after the takeover nothing of the old holder is accepted.
-- * Time is clock_timestamp(), this server's clock at that moment. now() stands still during a transaction, so that a lease could
--   look alive to a writer that waited for it to lapse; and the clocks of workers are asked nowhere.
-- * A wake moves the queue row's rev in the appender's transaction. Release deletes the queue row by the rev its holder read before
--   its last look at the stream, and waits for an appender that holds the row; so a wake is either in that look or keeps the row.
--   A busy thread's queue row is moved to the end of the lease and never deleted: should the holder die, the thread is due then.
-- * The stream is the truth. A missing row is rebuilt from the last decision and its outcome.

-- What readers and the director read of a thread besides the unread: texts, and what asks, edits, deletes.
drop index entries_readable;
create index entries_of_conversation on entries (thread_id, seq desc)
  where readable or kind in ('chat.edit', 'chat.delete', 'thread.ask', 'thread.continue');

-- An entry as the sdk's schema names its fields; times as they are stored.
create function entry_json(e entries) returns json language sql stable as $$
  select json_build_object('threadId', e.thread_id, 'seq', e.seq, 'key', e.key, 'kind', e.kind, 'authorId', e.author_id,
    'authorKind', e.author_kind, 'wakes', e.wakes, 'readable', e.readable, 'causedBy', e.caused_by, 'hops', e.hops,
    'body', e.body, 'createdAt', e.created_at)
$$;

-- These entries, once each, oldest first. limit 1 keeps it a look into the index an entry, whatever the planner believes about the
-- table's size. The embedded engine has no statistics, and plans are made when tables are all but empty: there any index that begins
-- with the thread looks as good. The order by, which = would lose, is what only the primary key gives.
create function entries_json(p_house text, p_thread text, p_seqs bigint[]) returns json language plpgsql stable as $$
begin
  return (
    select coalesce(json_agg(entry_json(e) order by wanted.seq), '[]')
      from (select distinct seq from unnest(p_seqs) seq) wanted
      cross join lateral (
        select * from entries e
          where e.house_id = p_house and e.thread_id = p_thread and e.seq >= wanted.seq and e.seq <= wanted.seq
          order by e.seq limit 1
      ) e);
end
$$;

-- What edits or deletes these entries, the last hundred for each.
create function changes_of(p_thread text, p_seqs bigint[]) returns bigint[] language plpgsql stable as $$
begin
  return array(
    select c.seq from unnest(p_seqs) target cross join lateral (
      select e.seq from entries e
        where e.thread_id = p_thread and e.body ->> 'target' = target::text and e.kind in ('chat.edit', 'chat.delete')
        -- An index in the order of seq holds the whole conversation, and would be read to its end.
        order by e.seq + 0 desc limit 100
    ) c);
end
$$;

-- The tail is read and written as a whole, and as text that costs a tenth of what jsonb costs to build.
alter table thread_directors alter column tail drop default;
alter table thread_directors alter column tail type json using '[]';
alter table thread_directors alter column tail set default '[]';

-- Makes a missing row from the stream.
create function director_ensure(p_thread text) returns void language plpgsql as $$
begin
  perform 1 from thread_directors where thread_id = p_thread;
  if found then
    return;
  end if;
  insert into thread_directors (thread_id, house_id, d, last_decision, last_outcome, decided_offset)
    select t.id, t.house_id, coalesce((last.decision ->> 'd')::bigint, 0), last.decision, outcome.body,
        case
          when last.decision is null then 0
          when last.decision ->> 'speaker' is null or (outcome.body ->> 'closes')::boolean
            then (last.decision ->> 'to')::bigint
          else (last.decision ->> 'from')::bigint
        end
      from threads t
      left join lateral (
        select e.body as decision from entries e
          where e.thread_id = t.id and e.author_kind = 'director' and e.kind = 'signal.thread_director.decision'
          order by e.seq desc limit 1
      ) last on true
      left join entries outcome
        on outcome.thread_id = t.id and outcome.key = 'arbe:outcome:' || (last.decision ->> 'd')
      where t.id = p_thread
    on conflict (thread_id) do nothing;
end
$$;

-- Who is in the thread and under which limits, in a fixed order, so that its text changes exactly when one of them does. The title is
-- not in it: a new one makes no decision stale.
create function director_roster(p_thread text) returns json language plpgsql stable as $$
begin
  return (select json_build_object(
    'thread', json_build_object(
      'banter', t.banter, 'hops', t.hops, 'directorModel', h.director_model,
      'limitPerBot', coalesce(t.limit_per_bot, h.limit_per_bot),
      'limitPerThread', coalesce(t.limit_per_thread, h.limit_per_thread)),
    'people', coalesce((
      select json_agg(json_build_object('id', m.id, 'name', m.name, 'handle', m.handle) order by m.id)
        from thread_people p join members m on m.house_id = p.house_id and m.id = p.member_id
        where p.house_id = t.house_id and p.thread_id = t.id and m.removed_at is null), '[]'),
    'bots', coalesce((
      select json_agg(json_build_object(
          'id', a.id, 'name', a.name, 'handle', a.handle, 'description', a.description, 'muted', b.muted,
          'external', a.external, 'model', a.model, 'tools', '[]'::json,
          'mode', coalesce(b.trigger_mode, a.trigger_mode, h.default_trigger_mode)
        ) order by b.added_at, a.id)
        from thread_bots b join agents a on a.house_id = b.house_id and a.id = b.bot_id
        where b.house_id = t.house_id and b.thread_id = t.id and a.kind = 'bot' and a.removed_at is null), '[]'))
    from threads t join houses h on h.id = t.house_id
    where t.id = p_thread);
end
$$;

-- All a pass may know. rev is read first: a wake in between is in what is read later and moves rev, which costs one more look and
-- loses nothing. The entries are of one moment, the head's, however many statements read them, since entries never change.
-- A reader that has the tail up to an offset says so (p_known) and gets what came after; one that has nothing gets the row's cache of
-- it and what came after that: 0.8 ms for sixty entries without a cache, 0.4 ms with it, 0.25 ms for a holder that knows them, with
-- 100 entries before or 100,000. Hence statements of one table each, planned once a session, for any offset, and never on the
-- strength of a table that was small then: as one query this took over 1 ms even when there was nothing to read.
create function director_capture(p_thread text, p_recent int, p_known bigint) returns json language plpgsql
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  v_rev bigint;
  v_d record;
  v_head bigint;
  v_title text;
  v_roster json;
  v_known bigint;
  v_unread bigint[];
  v_spoken_of bigint[];
  v_recent json;
  v_older json;
  v_first bigint;
  v_is_cut boolean;
begin
  select rev into v_rev from dispatch where key = 'thread:' || p_thread;
  select d.house_id, d.decided_offset, d.d, d.last_decision, d.last_outcome, d.tail_to,
      case when p_known is null then d.tail else '[]' end as tail
    into v_d from thread_directors d where d.thread_id = p_thread;
  select t.head, t.title into v_head, v_title from threads t where t.house_id = v_d.house_id and t.id = p_thread;
  if not found then
    return null;
  end if;
  v_roster := director_roster(p_thread);
  v_known := coalesce(p_known, v_d.tail_to);

  select array_agg(u.seq), array_agg(coalesce(u.body ->> 'replyTo', u.body ->> 'target')::bigint)
      filter (where u.seq > v_known and u.body ?| array['replyTo', 'target'])
    into v_unread, v_spoken_of
    from (
      select e.seq, e.body from entries e
        where e.thread_id = p_thread and e.wakes and e.seq > v_d.decided_offset and e.seq <= v_head
        order by e.seq limit 101
    ) u;

  select json_agg(entry_json(e)), min(e.seq), count(*) = p_recent into v_recent, v_first, v_is_cut
    from (
      select * from entries e
        where e.thread_id = p_thread and e.seq > v_known and e.seq <= v_head
          and (e.readable or e.kind in ('chat.edit', 'chat.delete', 'thread.ask', 'thread.continue'))
        order by e.seq desc limit p_recent
    ) e;

  if v_is_cut or v_spoken_of is not null then
    v_older := entries_json(v_d.house_id, p_thread, array(
      select wanted.seq from (
        select u as seq from unnest(v_unread) u where u > v_known
        union all select target from unnest(v_spoken_of) target
        union all select c from unnest(changes_of(p_thread, v_spoken_of)) c
        union all select e.seq from entries e
          where v_is_cut and e.thread_id = p_thread and e.seq > greatest(v_d.decided_offset, v_known) and e.seq < v_first
            and e.kind in ('chat.edit', 'chat.delete')
            and (e.readable or e.kind in ('chat.edit', 'chat.delete', 'thread.ask', 'thread.continue'))
      ) wanted where wanted.seq < v_first));
  end if;

  return json_build_object(
    'rev', v_rev, 'title', v_title, 'roster', v_roster, 'rosterVersion', md5(v_roster::text),
    'decidedOffset', v_d.decided_offset, 'd', v_d.d + 1, 'seen', v_head,
    'now', floor(extract(epoch from clock_timestamp()) * 1000),
    'lastDecision', v_d.last_decision, 'lastOutcome', v_d.last_outcome,
    'unread', coalesce(to_json(v_unread), '[]'), 'cached', v_d.tail, 'cachedTo', v_d.tail_to,
    'recent', coalesce(v_recent, '[]'), 'older', coalesce(v_older, '[]'));
end
$$;

-- {status: claimed, houseId, fence, attempts, capture} | busy | gone
create function director_claim(p_thread text, p_holder text, p_lease_ms int, p_recent int) returns json language plpgsql as $$
declare
  v_blocked_until timestamptz;
  v_d record;
begin
  perform director_ensure(p_thread);
  select greatest(d.lease_until, d.retry_at) into v_blocked_until
    from thread_directors d where d.thread_id = p_thread for update;
  if not found or not exists (select 1 from threads t where t.id = p_thread) then
    delete from thread_directors where thread_id = p_thread;
    delete from dispatch where key = 'thread:' || p_thread;
    return '{"status": "gone"}';
  end if;
  if v_blocked_until > clock_timestamp() then
    -- The holder's fence holds while its row is locked here. A wake it has not seen yet keeps its rev and is met at its release.
    update dispatch set run_at = v_blocked_until where key = 'thread:' || p_thread;
    return '{"status": "busy"}';
  end if;
  update thread_directors set
      holder = p_holder, fence = nextval('director_fence'), retry_at = null,
      lease_until = clock_timestamp() + p_lease_ms * interval '1 millisecond',
      attempts = attempts + 1, wakes = wakes + 1
    where thread_id = p_thread
    returning house_id, fence, attempts, lease_until into v_d;
  perform director_due(p_thread, v_d.lease_until);
  return json_build_object('status', 'claimed', 'houseId', v_d.house_id, 'fence', v_d.fence,
    'attempts', v_d.attempts, 'capture', director_capture(p_thread, p_recent, null));
end
$$;

-- Sets the time at which the thread is looked at again; rev stays, since nothing was woken.
create function director_due(p_thread text, p_at timestamptz) returns void language plpgsql as $$
begin
  insert into dispatch as q (key, run_at) values ('thread:' || p_thread, p_at)
    on conflict (key) do update set run_at = excluded.run_at, attempts = 0, last_error = null;
end
$$;

-- Appends under a lock on the director's row. A thread that is gone fails the pass, and the next claim clears up behind it.
create function director_append(p_house text, p_thread text, p_entry jsonb) returns bigint language plpgsql as $$
declare
  v_done record;
begin
  select * into v_done from append_entry(p_house, p_thread, p_entry);
  if v_done.status in ('conflict', 'gone') then
    raise exception 'the entry % of thread % was not written: %', p_entry ->> 'key', p_thread, v_done.status;
  end if;
  return v_done.seq;
end
$$;

create function director_signal(p_kind text, p_key text, p_body jsonb) returns jsonb language sql immutable as $$
  select jsonb_build_object('kind', 'signal.thread_director.' || p_kind, 'key', p_key, 'authorId', 'director',
    'authorKind', 'director', 'wakes', false, 'readable', false, 'causedBy', null, 'hops', 0, 'body', p_body)
$$;

-- {status: stored, decision, seq, next} | stale | lease_lost. Without a speaker the range is closed at once, and next is the capture that
-- follows.
create function director_store_decision(p_thread text, p_fence bigint, p_order jsonb) returns json language plpgsql as $$
declare
  v_d record;
  v_draft jsonb := p_order -> 'draft';
  v_decision jsonb;
  v_seq bigint;
begin
  select d.house_id, d.d, d.decided_offset, d.last_decision, d.last_outcome into v_d from thread_directors d
    where d.thread_id = p_thread and d.fence = p_fence and d.lease_until > clock_timestamp()
    for update;
  if not found then
    return '{"status": "lease_lost"}';
  end if;
  -- The same order again: it was stored and the answer got lost.
  if (v_d.last_decision ->> 'fence')::bigint = p_fence and v_d.last_decision - 'd' - 'fence' = v_draft then
    select seq into v_seq from entries where thread_id = p_thread and key = 'arbe:decision:' || v_d.d;
    return json_build_object('status', 'stored', 'decision', v_d.last_decision, 'seq', v_seq);
  end if;
  if v_d.last_decision ->> 'speaker' is not null and v_d.last_outcome is null then
    raise exception 'decision % of thread % has no outcome yet', v_d.d, p_thread;
  end if;
  -- A change of the roster that is under way commits before this lock is given, and then the roster below shows it.
  perform 1 from threads t where t.house_id = v_d.house_id and t.id = p_thread for no key update;
  if (v_draft ->> 'from')::bigint <> v_d.decided_offset
      or p_order ->> 'rosterVersion' <> md5(director_roster(p_thread)::text) then
    return '{"status": "stale"}';
  end if;
  v_decision := v_draft || jsonb_build_object('d', v_d.d + 1, 'fence', p_fence);
  v_seq := director_append(v_d.house_id, p_thread,
    director_signal('decision', 'arbe:decision:' || (v_d.d + 1), v_decision));
  update thread_directors set
      d = v_d.d + 1, last_decision = v_decision, last_outcome = null,
      attempts = case when v_decision ->> 'speaker' is null then 0 else 1 end,
      decided_offset = case when v_decision ->> 'speaker' is null then (v_decision ->> 'to')::bigint else decided_offset end
    where thread_id = p_thread;
  return json_build_object('status', 'stored', 'decision', v_decision, 'seq', v_seq,
    'next', case when v_decision ->> 'speaker' is null and p_order ? 'recent' then
      director_capture(p_thread, (p_order ->> 'recent')::int, (p_order ->> 'known')::bigint) end);
end
$$;

-- {status: closed, outcome, seq, next} | lease_lost. Reply, outcome, progress and the wake of the reply are one commit; next is the
-- capture that follows. p_tail renews the row's cache of the tail.
create function director_close(p_thread text, p_fence bigint, p_order jsonb, p_tail json) returns json language plpgsql as $$
declare
  v_d record;
  v_ordinal bigint := (p_order ->> 'd')::bigint;
  v_outcome jsonb := p_order -> 'outcome';
  v_stored jsonb;
  v_seq bigint;
begin
  select d.house_id, d.d, d.lease_until, d.last_decision into v_d from thread_directors d
    where d.thread_id = p_thread and d.fence = p_fence and d.lease_until > clock_timestamp()
    for update;
  if not found then
    return '{"status": "lease_lost"}';
  end if;
  select body, seq into v_stored, v_seq from entries where thread_id = p_thread and key = 'arbe:outcome:' || v_ordinal;
  if found then
    return json_build_object('status', 'closed', 'outcome', v_stored, 'seq', v_seq);
  end if;
  if v_ordinal <> v_d.d or v_d.last_decision ->> 'speaker' is null then
    raise exception 'decision % of thread % is not the one that runs', v_ordinal, p_thread;
  end if;
  if jsonb_typeof(p_order -> 'reply') = 'object' then
    v_outcome := v_outcome || jsonb_build_object('reply', director_append(v_d.house_id, p_thread, p_order -> 'reply'));
    -- The holder reads on itself: until its lease ends nobody else need look.
    perform director_due(p_thread, v_d.lease_until);
  end if;
  v_seq := director_append(v_d.house_id, p_thread, director_signal('outcome', 'arbe:outcome:' || v_ordinal, v_outcome));
  update thread_directors set
      last_outcome = v_outcome, attempts = 0,
      tail = coalesce(p_tail, tail), tail_to = case when p_tail is null then tail_to else (p_order ->> 'known')::bigint end,
      decided_offset = case
        when (v_outcome ->> 'closes')::boolean then (last_decision ->> 'to')::bigint else decided_offset end
    where thread_id = p_thread;
  return json_build_object('status', 'closed', 'outcome', v_outcome, 'seq', v_seq,
    'next', case when p_order ? 'recent' then
      director_capture(p_thread, (p_order ->> 'recent')::int, (p_order ->> 'known')::bigint) end);
end
$$;

-- What a running turn stored under a key: {house, seq, body}, seq and body null when nothing. Null: the lease is lost.
create function director_turn_find(p_thread text, p_fence bigint, p_key text) returns jsonb language plpgsql as $$
declare
  v_house text;
begin
  -- Shared, so that the writes of a turn keep nobody but those who change the row.
  select d.house_id into v_house from thread_directors d
    where d.thread_id = p_thread and d.fence = p_fence and d.lease_until > clock_timestamp()
    for share;
  return (
    select jsonb_build_object('house', v_house, 'seq', e.seq, 'body', e.body)
      from (select 1) held left join entries e on e.thread_id = p_thread and e.key = p_key
      where v_house is not null);
end
$$;

-- An entry of a running turn: {seq, body}, those of the entry stored first under this key. Null: the lease is lost.
create function director_turn_append(p_thread text, p_fence bigint, p_entry jsonb) returns jsonb language plpgsql as $$
declare
  v_found jsonb := director_turn_find(p_thread, p_fence, p_entry ->> 'key');
begin
  if v_found is null or v_found ->> 'seq' is not null then
    return v_found;
  end if;
  return jsonb_build_object(
    'seq', director_append(v_found ->> 'house', p_thread, p_entry), 'body', p_entry -> 'body');
end
$$;

-- released | more | lease_lost
create function director_release(p_thread text, p_fence bigint, p_rev bigint) returns text language plpgsql as $$
declare
  v_d record;
begin
  select d.house_id, d.decided_offset into v_d from thread_directors d
    where d.thread_id = p_thread and d.fence = p_fence and d.lease_until > clock_timestamp()
    for update;
  if not found then
    return 'lease_lost';
  end if;
  if exists (select 1 from threads t
      where t.house_id = v_d.house_id and t.id = p_thread and t.wake_head > v_d.decided_offset) then
    return 'more';
  end if;
  -- Waits for an appender that holds the row, and then finds its rev moved.
  delete from dispatch where key = 'thread:' || p_thread and rev = p_rev;
  if not found and exists (select 1 from dispatch where key = 'thread:' || p_thread) then
    return 'more';
  end if;
  update thread_directors set holder = null, lease_until = null, attempts = 0, last_error = null
    where thread_id = p_thread;
  return 'released';
end
$$;

-- With work left. A claim that was given back undamaged is no failed attempt.
create function director_hand_back(p_thread text, p_fence bigint) returns void language plpgsql as $$
begin
  update thread_directors set holder = null, lease_until = null, attempts = greatest(attempts - 1, 0)
    where thread_id = p_thread and fence = p_fence;
  if found then
    perform director_due(p_thread, clock_timestamp());
  end if;
end
$$;

-- 1 s, 2 s, 4 s … 5 min. attempts on the queue row make later wakes keep that time.
create function director_back_off(p_thread text, p_fence bigint, p_error text) returns void language plpgsql as $$
declare
  v_retry_at timestamptz;
  v_attempts int;
begin
  update thread_directors set
      holder = null, lease_until = null, last_error = p_error,
      retry_at = clock_timestamp() + least(300, 2 ^ least(greatest(attempts, 1) - 1, 10)) * interval '1 second'
    where thread_id = p_thread and fence = p_fence
    returning retry_at, attempts into v_retry_at, v_attempts;
  if found then
    insert into dispatch as q (key, run_at, attempts, last_error)
      values ('thread:' || p_thread, v_retry_at, greatest(v_attempts, 1), p_error)
      on conflict (key) do update
        set run_at = excluded.run_at, attempts = excluded.attempts, last_error = excluded.last_error;
  end if;
end
$$;

-- The row as a stop finds it, locked for the transaction that stops; null: no such thread.
create function director_stop_view(p_thread text, p_key text) returns jsonb language plpgsql as $$
declare
  v_d record;
begin
  perform director_ensure(p_thread);
  select d.decided_offset, d.lease_until, d.last_decision, d.last_outcome
    into v_d from thread_directors d where d.thread_id = p_thread for update;
  return (
    select jsonb_build_object(
        'houseId', t.house_id, 'decidedOffset', v_d.decided_offset, 'head', t.head, 'wakeHead', t.wake_head,
        'held', coalesce(v_d.lease_until > clock_timestamp(), false),
        'lastDecision', v_d.last_decision, 'lastOutcome', v_d.last_outcome,
        'lastWord', coalesce((select max(e.seq) from entries e
          where e.thread_id = p_thread and e.wakes and e.seq > v_d.decided_offset and e.author_kind = 'person'), 0),
        'done', (select e.body from entries e where e.thread_id = p_thread and e.key = p_key))
      from threads t where t.id = p_thread);
end
$$;

-- In the transaction of director_stop_view: a fence of its own ends the holder's, closes what the order says, and leaves the thread
-- free and due. Answers the thread's head.
create function director_stop(p_thread text, p_order jsonb) returns bigint language plpgsql as $$
declare
  v_d record;
begin
  update thread_directors set
      holder = 'stop', fence = nextval('director_fence'), lease_until = clock_timestamp() + interval '1 minute'
    where thread_id = p_thread
    returning house_id, fence into v_d;
  perform director_append(v_d.house_id, p_thread, p_order -> 'entry');
  if p_order ? 'close' then
    perform director_close(p_thread, v_d.fence, p_order -> 'close', null);
  else
    perform director_store_decision(p_thread, v_d.fence, p_order -> 'decision');
  end if;
  update thread_directors set
      holder = null, lease_until = null, retry_at = null, attempts = 0, last_error = null
    where thread_id = p_thread;
  perform director_due(p_thread, clock_timestamp());
  perform wake_thread(p_thread);
  return (select t.head from threads t where t.id = p_thread);
end
$$;

-- The safety behind the queue: threads with something undecided and no row get one. Answers how many.
create function director_sweep() returns int language plpgsql as $$
declare
  v_woken int;
begin
  insert into dispatch (key)
    select 'thread:' || t.id
      from threads t left join thread_directors d on d.thread_id = t.id
      where t.wake_head > coalesce(d.decided_offset, 0)
        or (d.last_decision ->> 'speaker' is not null and d.last_outcome is null)
    on conflict (key) do nothing;
  get diagnostics v_woken = row_count;
  return v_woken;
end
$$;

-- What a bot's turn reads: {after, entries}. The last p_limit entries of the conversation up to p_seen; the waking ones behind p_from
-- and the owed ones however far back, with what edits and deletes them; and of the bot's own turns since then the decisions with all
-- they stored, the last ones that fit p_bytes. Everything of the conversation behind `after` is there; 0: nothing was left out.
create function turn_context(
  p_house text, p_thread text, p_bot text, p_from bigint, p_seen bigint, p_owed bigint[], p_limit int, p_bytes int
) returns json language plpgsql
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  v_talk bigint[];
  v_after bigint := 0;
  v_answered bigint[];
  v_decisions bigint[];
  v_ordinals bigint[];
  v_work bigint[];
begin
  v_talk := array(
    select e.seq from entries e
      where e.thread_id = p_thread and e.seq <= p_seen
        and (e.readable or e.kind in ('chat.edit', 'chat.delete', 'thread.ask', 'thread.continue'))
      order by e.seq desc limit p_limit);
  if cardinality(v_talk) = p_limit then
    v_after := v_talk[p_limit] - 1;
  end if;
  v_answered := p_owed || array(
    select e.seq from entries e
      where e.thread_id = p_thread and e.wakes and e.seq > p_from and e.seq <= v_after
      order by e.seq limit 100);

  select array_agg(e.seq), array_agg((e.body ->> 'd')::bigint) into v_decisions, v_ordinals
    from entries e
    where e.thread_id = p_thread and e.author_kind = 'director' and e.seq > v_after and e.seq <= p_seen
      and e.kind = 'signal.thread_director.decision' and e.body ->> 'speaker' = p_bot;
  -- A window frame without `rows` ends behind the last peer, so that a turn's entries are counted together: it is here whole or not.
  v_work := array(
    select w.seq from (
      select e.seq, sum(pg_column_size(e.body)) over (order by d desc) as bytes
        from unnest(v_ordinals) d cross join lateral (
          select e.seq, e.body from entries e
            where e.thread_id = p_thread and e.caused_by = d and e.kind in ('pi.assistant', 'pi.tool_result') and e.seq <= p_seen
            order by e.seq limit 1000
        ) e
    ) w where w.bytes <= p_bytes);

  return json_build_object('after', v_after, 'entries', entries_json(p_house, p_thread, array(
    select seq from unnest(v_talk || v_answered || changes_of(p_thread, v_answered) || v_decisions || v_work) seq
      where seq <= p_seen)));
end
$$;
