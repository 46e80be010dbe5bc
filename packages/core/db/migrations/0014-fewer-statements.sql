-- A pass by which nobody speaks in fewer statements: what it cost was many small ones, each with its way to the server and back and
-- its commit.

-- As before; a caller that has just read the roster hands it in.
drop function director_capture(text, int, bigint);
create function director_capture(
  p_thread text, p_recent int, p_known bigint, p_roster json default null
) returns json language plpgsql
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  v_rev bigint;
  v_d record;
  v_head bigint;
  v_title text;
  v_roster json := p_roster;
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
  if v_roster is null then
    v_roster := director_roster(p_thread);
  end if;
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
    'unread', coalesce(to_json(v_unread), '[]'), 'known', p_known, 'cached', v_d.tail, 'cachedTo', v_d.tail_to,
    'recent', coalesce(v_recent, '[]'), 'older', coalesce(v_older, '[]'));
end
$$;

-- As before; a process that remembers what it read of the thread in an earlier lease says with which entry that ends. Under that key
-- nothing else may stand there: a house brought back from its backup goes on differently.
drop function director_claim(text, text, int, int);
create function director_claim(
  p_thread text, p_holder text, p_lease_ms int, p_recent int, p_known bigint default null, p_known_key text default null
) returns json language plpgsql as $$
declare
  v_blocked_until timestamptz;
  v_d record;
begin
  select greatest(d.lease_until, d.retry_at) into v_blocked_until
    from thread_directors d where d.thread_id = p_thread for update;
  if not found then
    perform director_ensure(p_thread);
    select greatest(d.lease_until, d.retry_at) into v_blocked_until
      from thread_directors d where d.thread_id = p_thread for update;
  end if;
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
    'attempts', v_d.attempts, 'capture', director_capture(p_thread, p_recent, (
      select e.seq from entries e where e.thread_id = p_thread and e.key = p_known_key and e.seq = p_known)));
end
$$;

-- As before. The row is there while a thread is busy, and a default that nobody uses would draw from its sequence.
create or replace function director_due(p_thread text, p_at timestamptz) returns void language plpgsql as $$
begin
  update dispatch set run_at = p_at, attempts = 0, last_error = null where key = 'thread:' || p_thread;
  if found then
    return;
  end if;
  insert into dispatch as q (key, run_at) values ('thread:' || p_thread, p_at)
    on conflict (key) do update set run_at = excluded.run_at, attempts = 0, last_error = null;
end
$$;

-- As before, and with releaseAt, the queue row's rev at the capture, also released: where the decision ends the range and nothing woke
-- the thread since, it is let go in the commit that decides. Where something did, the lease is kept, as by director_release.
create or replace function director_store_decision(p_thread text, p_fence bigint, p_order jsonb) returns json language plpgsql as $$
declare
  v_d record;
  v_draft jsonb := p_order -> 'draft';
  v_decision jsonb;
  v_seq bigint;
  v_roster json;
  v_wake_head bigint;
  v_speaks boolean := v_draft ->> 'speaker' is not null;
  v_rests boolean := false;
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
  select t.wake_head into v_wake_head from threads t
    where t.house_id = v_d.house_id and t.id = p_thread for no key update;
  v_roster := director_roster(p_thread);
  if (v_draft ->> 'from')::bigint <> v_d.decided_offset or p_order ->> 'rosterVersion' <> md5(v_roster::text) then
    return '{"status": "stale"}';
  end if;
  v_decision := v_draft || jsonb_build_object('d', v_d.d + 1, 'fence', p_fence);
  v_seq := director_append(v_d.house_id, p_thread,
    director_signal('decision', 'arbe:decision:' || (v_d.d + 1), v_decision));
  if p_order ? 'releaseAt' and not v_speaks and v_wake_head <= (v_draft ->> 'to')::bigint then
    -- As in director_release.
    delete from dispatch where key = 'thread:' || p_thread and rev = (p_order ->> 'releaseAt')::bigint;
    v_rests := found or not exists (select 1 from dispatch where key = 'thread:' || p_thread);
  end if;
  update thread_directors set
      d = v_d.d + 1, last_decision = v_decision, last_outcome = null, attempts = case when v_speaks then 1 else 0 end,
      decided_offset = case when v_speaks then decided_offset else (v_decision ->> 'to')::bigint end,
      holder = case when v_rests then null else holder end,
      lease_until = case when v_rests then null else lease_until end,
      last_error = case when v_rests then null else last_error end
    where thread_id = p_thread;
  return json_build_object('status', case when v_rests then 'released' else 'stored' end, 'decision', v_decision, 'seq', v_seq,
    'next', case when not v_speaks and not v_rests and p_order ? 'recent' then
      director_capture(p_thread, (p_order ->> 'recent')::int, (p_order ->> 'known')::bigint, v_roster) end);
end
$$;


-- A thread for somebody who is in it, and the entry that stands there under a key; no row: no such thread for them. Here its parts are
-- planned once a session.
create function open_thread(p_house text, p_thread text, p_actor text, p_key text, out roster json, out keyed json)
  returns setof record language plpgsql stable as $$
begin
  perform 1 from threads t
    where t.house_id = p_house and t.id = p_thread and (
      exists (select 1 from thread_people p
        where p.house_id = p_house and p.thread_id = p_thread and p.member_id = p_actor)
      or exists (select 1 from thread_bots b
        where b.house_id = p_house and b.thread_id = p_thread and b.bot_id = p_actor));
  if not found then
    return;
  end if;
  roster := director_roster(p_thread);
  select json_build_object('seq', e.seq, 'kind', e.kind, 'body', e.body) into keyed
    from entries e where e.thread_id = p_thread and e.key = p_key;
  return next;
end
$$;
