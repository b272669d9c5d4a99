"""Reads what went wrong from a sentence that a person wrote: `You can't afford the bow`, `Zug nicht gefunden`.

`said` accepts only whole known clauses. This reader looks for patterns within a sentence: a negated verb, an adjective
such as `invalid`, a limit, a state. It answers two questions: of which class is a failure that is known to be one (`sense`;
of an exception `complaint`), and does a sentence in the value of a known tool report a failure at all (`clear_sense`).

A pattern is a regular expression of whole words, in which `*` is the rest of a word, `…` up to 60 characters, `#` a number
and `<NAME>` a list of words below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from mulligan.classify import meanings as m
from mulligan.classify.detect.languages import foreign_sense, joined_lines

_LONGEST_TEXT = 800
_MOST_SENTENCES = 6
_QUOTED = re.compile(
    r"\"[^\"\n]{0,200}\"|(?<!\w)'[^'\n]{0,200}'(?!\w)|`[^`\n]{0,200}`"
    r"|[\u201c\u201e][^\u201c\u201d\n]{0,200}[\u201c\u201d]|\u00ab[^\u00bb\n]{0,200}\u00bb"
)
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+|(?<=[\u3002\uff01\uff1f])")
_COUNTS = re.compile(
    r"(?:[\w -]{1,40}(?<!id)(?<!code)(?<!number)(?<!key)(?<!\d)[:=] ?[\d.,%]{1,12}[,;]? ?){1,12}[a-z]{0,3}"
)  # `unauthorized: 3, not found: 7`
_LABEL = re.compile(  # `Error: `, `An error occurred (ValidationException) when calling the CreateTable operation: `
    r"(?:(?:(?:fatal )?error|fatal|failed|failure|exception)"
    r"|(?:an )?(?:\w+ ){0,2}error (?:has )?occurred(?: \([^)]{1,80}\))?(?: (?:when|while|during) [^:]{1,80})?): (?=\S)"
)
_NO_RESOURCE = re.compile(  # neither a text in a page, nor what the call should have made: `no receipt was issued`
    r"\b(?:text|string|pattern|phrase|word|snippet)s? (?:(?:is|was|were) )?not found\b"
    r"|\bno \w+.{0,60} (?:issued|sent|created|generated|printed|produced|delivered|made|written|saved|stored|received)\b"
)
_COUNTED = re.compile(r"\d+ (?:\w+ )?\w+s \w+ed\b")  # `12 players timed out in round 3`
_WRAPPER = re.compile(  # `Error executing tool crash: ...`: the name of a tool says nothing
    r"\b(?:(?:execut|call|invok)ing|(?<!no )(?<!No )running) (?:the )?(?:tool |function )?[\w.'\"`/-]{1,80}"
    r"|\b(?:tool|function) [\w.'\"`/-]{1,80}(?= failed)"
)
_BLANKS = re.compile(r"[\s*#>|\u2502]+")
_CONTRACTIONS = (("\u2019", "'"), ("cannot", "can not"), ("can't", "can not"), ("won't", "will not"), ("n't ", " not "),
    ("'re ", " are "), ("'ve ", " have "), ("'ll ", " will "), ("it's ", "it is "), ("that's ", "that is "))  # fmt: skip
_WORDS: Mapping[str, str] = {
    "CANNOT": "((can|could|did|do|does|was|were|is|are|am|has|have|had|will|would) (\\w+ )?(not|never) (be |been )?"
    "(able to |possible to )?|(unable|failed|fails|failing|impossible|not able|not possible) to (be )?)",
    "COULD": "((can|could|did|do|does|has|have|had|will|would) (\\w+ )?(not|never) (be )?(able to |possible to )?"
    "|(unable|failed|fails|failing|impossible|not able|not possible) to (be )?)",
    "NOT": "(not|never|no longer)",
    "BE": "(is|are|was|were|be|been|has|have|had|been|being|seems|appears|remains)",
    "UNIT": "(milliseconds|seconds?|secs?|minutes?|mins?|hours?|days?|ms|s|min|m|h)",
    "PER": "( ?per (# )?|/| an? | each (# )?| every (# )?| in (any )?(# )?)(second|minute|hour|day|week|month|min|sec|s|h)",
    "CALLS": "(requests?|calls?|messages?|attempts?|tries|queries|searches|downloads?|uploads?|logins?|posts?|e-?mails?|sms"
    "|rolls?|commands?|operations?|jobs?|look-?ups?|invocations?|tokens?|hits|actions?|submissions?|orders?)",
    "MEANS": "(funds?|balance|credits?|money|budget|coins?|gold|gems|allowance|memory|ram|vram|disk|space|storage"
    "|quota|cash|licen[cs]es|mileage|(disk|storage|free) space)",
    "PLAN": "(free|trial|plan|tier|monthly|daily|weekly|yearly|annual|subscription|licen[cs]e|spending|spend|credit|usage"
    "|storage|memory|billing)",
    "SECRET": "(tokens?|(x-)?api[ -]?keys?|access keys?|secret keys?"
    "|keys?(?! (_|hold|of|in|for|with))|(two-factor|2fa|verification|one-time|login) code"
    "|credentials?|passwords?|passcodes?|passphrase|pin"
    "|pin code"
    "|otp|signature|(client )?secret|cookies?|jwt|session|login|log-in|sign-in|authori[sz]ation)",
    "ROLE": "(administrators?|admins?|owners?|managers?|members?|moderators?|editors?|staff|supervisors?|leads?|maintainers?"
    "|superusers?|root|operators?|employees|doctors?|physicians?|pharmacists?|nurses?|hosts?|organi[sz]ers?|teachers?"
    "|instructors?|subscribers|users with [\\w ]{2,30}|role|scope|privileges?|permissions?|clearance)",
    "SERVICE": "(systems?|services?|servers?|gateway|site|website|platform|database|back ?end|api|hosts?|cluster|nodes?|portal"
    "|hub|bridge|queue|broker|feed|provider|upstream|engine|model|registry|exchange|printer|instance|workers?|machine|robot"
    "|scanner|device|sensor|controller|store|shop|counter|desk|base|line)",
    "TAKEN": "(taken|booked|reserved|occupied|sold|sold out|full|fully booked|locked|checked out|in use|on loan|out of stock"
    "|busy|claimed|assigned)",
    "THING": "(?!(?:more|longer|one|need|needs|changes?|new|further|other|results?|matches|hits|problems?|errors?"
    "|issues?) )\\w+",
    "NOUN": "(?!(?:luck|thing|problem|trouble|need|guarantee|requirement|restriction|limitation|intention)s?(?!\\w))\\w+",
    "LABEL": "(id|name|number|code|key|sku|title|address|reference|slug|symbol|barcode|e-?mail|uuid|label|tag|identifier)",
    "PERSON": "(the |a |an |your |its |our )?(user|operator|client|caller|human|administrator|admin|pilot|driver|person"
    "|reviewer|approver|supervisor|customer|owner|host|dispatcher|staff|nurse|technician|player|sender|requester)",
    "STARTS": "(starting|restarting|stopping|booting|opening|closing)",
    "CHANGE": "(edit|modify|update|delete|remove|archive|cancel|close|reopen|merge|publish|refund|restart|resume|retry|stop"
    "|resolve|reinstate|approve|reassign|revert|confirm|complete|finish|pause)",
    "STATE": "(active|inactive|open|closed|running|stopped|paused|pending|queued|scheduled|failed|finished|completed|cancell?ed"
    "|archived|published|draft|staged|unpaid|paid|expired|suspended|enabled|disabled|locked) ",
    "STOPPED": "(cancell?ed|aborted|interrupted|stopped|terminated|declined|rejected|dismissed|refused|denied|killed|halted"
    "|withdrawn|vetoed)",
}
# For each meaning: what hardly ever occurs in the answer to a question; other complaints, which may also be such an answer;
# and hints, which only say of which class a text is that is known to report a failure.
_TABLE: tuple[tuple[m.Meaning, str, str, str], ...] = (
    (
        m.FAILED,
        """
        something went wrong
        (an |)(unexpected|unknown|unhandled|internal) (\\w+ )?(error|exception)
        (error|exception|failure) (has |)occurred
        segmentation fault
        (division|divide|dividing) by zero
        has no attribute …
        <COULD>(parse|decode|read|understand|interpret) … (response|reply|answer|output|result)
        """,
        """
        unsupported operand
        object is not (subscriptable|callable|iterable)
        null ?pointer*
        stack overflow
        list index out of range
        undefined is not
        is not a function
        assertion failed
        (expected|calculated|computed|actual) (checksum|digest|hash|crc)
        """,
        "",
    ),
    (
        m.NO_TOOL,
        """
        (no|unknown|unregistered|undefined|unavailable|unrecogni[sz]ed) (such )?(tool|handler|skill|plugin|capability|intent)
        function that was not defined
        (tool|handler|skill|capability) … (not (been )?(found|registered|available|defined|known|exist|implemented)
            |does not exist|is unknown)
        (nobody|no one|nothing) (has )?(registered|handles|implements|provides) …
        no (function|action|method|operation) (is )?(named|called|registered)
        <NOT> (a|an|one of the) (valid|known|available|registered) (tools?|functions?|actions?|skills?)
        """,
        "",
        "",
    ),
    (
        m.CANCELLED,
        """
        operation was (aborted|<STOPPED>)
        <PERSON> (has |have )?(<STOPPED>|chose not|did not (confirm|approve|agree|consent)) …(this|the (call|action|request
            |command|tool|operation|confirmation|dialog|prompt))
        (<STOPPED>|not (confirmed|approved|allowed|accepted)) by (the )?user
        <PERSON> (does|did) not want …
        keyboard ?interrupt
        approval (was )?(denied|declined|refused|rejected|not granted)
        """,
        """
        <STOPPED>( \\w+)? by <PERSON>
        <PERSON> (has |have )?(<STOPPED>|pressed|said no|closed the|hung up|did not (confirm|approve|agree|consent)|chose not)
        <NOT> (confirmed|approved) by
        (emergency stop|e-stop|superseded by|cancell?ation (was )?requested|on request)
        (was|were|been|is|got|will be) (cancell?ed|aborted|interrupted)
        (operation|request|call|job|task|upload|download|run|mission|transfer|query|execution|it) (cancell?ed|aborted
            |interrupted)
        """,
        "",
    ),
    (
        m.RATE_LIMIT,
        """
        (rate|request|api|call)[- ]?limit(ed|ing|s)? … (exceed*|reach*|hit|error|wait|retry|try|violation|window)
        (exceed*|reach*|hit|over) … (rate|request|call)[- ]?limits?
        (rate[- ]limited|throttled|throttling|(too many|excessive) <CALLS>|flood (wait|control))
        too (many|much) … (minute|hour|second|seconds|minutes|short time|at once|in a row|recently|today)
        slow down
        (reduce|lower) (your|the) (\\w+ )?(rate|frequency)
        (hourly|burst|minutely|concurren*) (\\w+ ){0,2}limit*( (exceed*|reach*|hit))?
        # <CALLS> ?<PER>
        per[- ](second|minute|hour) limit
        wait of # ?<UNIT>
        (once|twice|# times)<PER>
        limit (is|of) # (\\w+ ){0,3}<PER>
        <CALLS>… (per|an|a|every|each) (second|minute|hour|day) (are |is |)(allowed|maximum|the (maximum|limit))
        (maximum|max|limit|limited to|at most|more than|only|up to) (of |is |to |)(# |one |once |twice )(\\w+ )?<PER>
        (calling|requesting|sending|asking|posting|polling|going|typing|clicking) … too (fast|quickly|often|frequently)
        """,
        """
        too (fast|quickly|frequently|often|soon|many)(?=$|[.,!;:])
        (one|#) <CALLS> every (\\w+ )?<UNIT>
        (next|again) (\\w+ )?(possible|allowed|available) (in|after) # ?<UNIT>
        wait (for |at least |another |about )*# ?<UNIT>
        """,
        """
        rate[- ]?limit*
        (cool(ing)?[- ]?down|back ?off|take a break|calm down|hold your horses|not so fast|breather)
        # <UNIT> ago
        """,
    ),
    (
        m.QUOTA,
        """
        quota … (exceed*|exhaust*|reach*|used|full|hit|spent|empty)
        (exceed*|over|exhaust*|reach*|hit) … (quota|credit limit|spending limit|usage limit|storage limit|memory limit)
        (insufficient|not enough|too little|no more|no remaining) (\\w+ )?<MEANS>
        (you|your account|we) … out of (\\w+ )?<MEANS>
        no (\\w+ )?space left
        (disk|storage|drive|mailbox|volume|inbox|partition) (of \\S+ )?(is |has become |are )?(now |almost )?full
        out of (gpu |cuda |system |host |)memory
        you (can|could) not afford
        payment required
        not (available|included|supported|enabled) (on|in|for|with|by) (your|this|the) (\\w+ )?(plan|tier
            |subscription|edition|licen[cs]e)
        you have (already )?used (up )?(all|your|every|the) …
        your (\\w+ ){0,3}<MEANS> (\\w+ ){0,4}(exhausted|used up|too low|depleted|insufficient|exceeded|empty|gone
            |not (sufficient|enough|cover))
        <MEANS> (\\w+ ){0,3}(exhausted|used up|depleted|insufficient)
        (upgrade|top up|recharge) (your |to |the )…
        (your|the|this|current) (\\w+ )?(plan|tier|subscription) (\\w+ ){0,2}(not include|not allow|only|allows|includes
            |is limited|not cover) …
        (you|your) … (used|reached|exceeded|hit) … <PLAN> … (limit|cap|allowance|allotment|period|plan|searches|calls)
        <PLAN> … (limit|cap|allowance|allotment) … (exceed*|reach*|hit|used)
        (your|the) (free )?(subscription|plan|trial|licen[cs]e) (\\w+ ){0,3}(expired|ended|inactive|lapsed|run out)
        """,
        """
        (insufficient|not enough|too few|too little) (\\w+ ){1,3}(in|on) (the |your |this )?(wallet|account|card|balance|budget)
        out of (\\w+ )?(<MEANS>|capacity|paper|ink|toner|fuel|battery|reagent|seats|licen[cs]es)
        (can|could|will) not (be )?(afford*|cover*|pay)
        (used (up )?(all|every*|its|your|the)|ran out|run out|running out|exceeds?|exceeded|more than|over) (of )?… <MEANS>
        <MEANS> (\\w+ ){0,4}(too low|exceeded|ran out|run out|empty|gone|spent|overdrawn|not (sufficient|enough|suffice))
        (costs?|needs?|requires?) … (you|account|wallet|purse) … (have|has|carry|holds?|left|only)
        (only|just) # … (left|remaining|available) …<MEANS>
        (insufficient|not enough|too little|short of|lacks?) …<MEANS>
        (maximum|max) (number|amount) of … (reached|exceeded)
        (reached|exceeded|hit) (the|your|its) (maximum|max) (number|amount|count) of …
        (is|are) (all )?used up
        (has|have) used (up )?all …
        (has|have) used up (its|their|the) …
        (credit|balance|allowance|quota)( is|:) 0([.,]0+)?(?![\\d.,]*\\d)
        (hit|reached|exceeded) your (# )?(\\w+ ){0,3}(limit|cap)
        (budget|quota|allowance|credits?) … (0|no) (\\w+ )?(remaining|left)
        all (\\w+ ){0,3}(seats|licen[cs]es|slots) … (taken|used|in use|occupied)
        limit of # … (reached|exceeded|used)
        """,
        """
        (buy|add|purchase|order) (more|additional) …
        oom*
        """,
    ),
    (
        m.TIMEOUT,
        """
        timed[- ]?out
        (request|operation|connection|connect|read|write|query|gateway|execution|response|call|socket|navigation
            |tool) time-?out …
        time-?out (after|of|while|waiting|exceeded|expired|error|reached|#) …
        client timeout
        deadline … (exceeded|passed|expired)
        (took|taking|takes|ran|running|waited|needed|needs) (too long|longer than …|(for )?more than # ?<UNIT>)
        (exceed*|hit|reach*) … #( |-)?<UNIT> (time ?)?limit
        (query|command|job|request|process|script) … (killed|stopped|aborted|terminated|cancell?ed) after # ?<UNIT>
        exceed* (\\w+ ){0,3}(limit|maximum|timeout|budget) of # ?<UNIT>
        (exceed*|reach*|hit|past|over) … (time limit|time budget|walltime|wall clock|(maximum |allowed )?(run|execution
            |processing)[- ]?time)
        time limit … (exceeded|reached|hit)
        (gave|given|giving) up (waiting )?after # ?<UNIT>
        (timeout|limit|deadline|maximum|wait*) … # ?<UNIT> exceeded(?=$|[.,;:!])
        no response (was )?(received )?from (the )?(#(?! ?\\w)|(\\w+ )?(server|host|device|peer|gateway|agent|node|module
            |controller))
        (no|<NOT>|without|nothing) … (answer*|respon*|repl*|acknowledg*|finish*|complet*|arriv*|came back|return*
            |signal) … (within|in time|after|in) (the )?((last )?# ?(\\w+ )?<UNIT>|allotted|allowed|configured)
        """,
        """
        (no|<NOT>|nobody|no one|none|nothing) … (within # ?<UNIT>|after # ?<UNIT>|in time)
        (no|<NOT>|without|nothing) … (answer*|respon*|repl*|acknowledg*|finish*|complet*|arriv*|ready|done) … (within|in time
            |on time|before|# ?<UNIT>)
        (still|not yet) (\\w+ ){0,4}(after|within) # ?<UNIT>
        (gave up|given up|giving up|stopped|killed|aborted|cancell?ed) … (after|at) (\\w+ ){0,3}#( |-)?<UNIT>
        """,
        """
        time-?outs?
        (exceed*|over|longer than|more than) (the )?(\\w+ )?# ?-?<UNIT>
        """,
    ),
    (
        m.AUTHENTICATION,
        """
        (please|must|need to|have to|first|again) (log|sign|logged|signed) ?(in|on)
        (log|sign) in (again|first|to|before|with)
        <NOT> (logged|signed) in
        (you are|you were|have been) (logged|signed) out
        unauthenticated
        <NOT> authenticated
        (re-?authenticate|re-?authori[sz]e) …
        (oauth|token|session) (\\w+ )?(refresh|exchange|validation|verification) (failed|error)
        (2fa|mfa|two-factor|captcha|otp) (\\w+ )?(required|needed|missing|expired)
        authentication … (fail*|required|error|rejected|expired|missing|needed|unsuccessful)
        (invalid|wrong|incorrect) (user ?name|user|login|log-in|e-?mail|account)(/| or | and )password
        <SECRET> (\\w+ ){0,6}(expired|revoked|rejected|ended|no longer valid|not (be )?(accepted|valid|set|verified))
        (tokens?|api[ -]?keys?|passwords?|credentials?|passcode) (\\w+ ){0,6}not (\\w+ )?(accepted|valid|recogni[sz]ed)
        (your|the|this|provided|access|api|bearer|refresh) (\\w+ )?<SECRET> (\\w+ ){0,5}(invalid|wrong|missing|incorrect
            |required|mismatch*|malformed)
        (invalid|expired|wrong|missing|bad|incorrect|revoked|no valid) (or \\w+ )?(\\w+ )?(tokens?|api[ -]?keys?|access keys?
            |credentials?|passwords?|passcode|pin|login|session|signature)
        (re)?connect (your|the) (\\w+ ){0,2}account …
        <COULD>(read|get|obtain) (username|user name|password) …
        to be (logged|signed) in
        \\w+_(key|token|secret|password|pat|credentials) (\\w+ ){0,3}(not (\\w+ )?(set|found|configured|defined
            |provided)|missing|required|unset|undefined)
        (missing|set|define|export|provide) (\\w+ ){0,4}\\w+_(key|token|secret|password|pat|credentials) …
        <CANNOT>(\\w+ )?(find|locate|load|obtain|read|get|determine) (\\w+ ){0,3}(credentials|api[ -]?key|access token)
        (run|use|try|execute):? (\\w+ ){1,3}(log-?in|signin|authenticate)
        (not accept|rejects?|rejected|refused|does not like) (our|your|the|my|this) (\\w+ )?<SECRET>
        """,
        """
        (enter|provide|use|supply) a valid (\\w+ )?<SECRET>
        <SECRET> (\\w+ ){0,6}(expired|invalid|revoked|wrong|missing|incorrect|rejected|required|ended|run out|mismatch
            |disabled|not (\\w+ )?(accepted|valid|recogni[sz]ed|found|set|match|configured|verified|correct))
        (invalid|expired|wrong|missing|bad|incorrect|revoked|no valid|no|unknown) (or \\w+ )?(\\w+ ){0,2}<SECRET>
        (account|calendar|mailbox|service) (is )?(<NOT>) (linked|connected)
        no (linked|connected|active) account
        no (\\w+ )?account (is |was |has been )?(linked|connected|configured|set up)
        <NOT> (\\w+ ){0,3}have (\\w+ ){0,2}active account …
        \\w+ auth (log-?in|login|refresh)
        """,
        """
        (log|sign|logged|signed)[ -]?(in|on|out)
        authenticat*
        unauthori[sz]ed
        """,
    ),
    (
        m.PERMISSION,
        """
        you (are|were|may|do|have|can|must)( \\w+)? (not|no) (be )?(allowed|permitted|authori[sz]ed|entitled|cleared|eligible)
        (permission|access|command|operation|request|action) (\\w+ ){0,3}(denied|refused|forbidden|disallowed|prohibited)
        you (do not have|have no) (\\w+ ){0,3}(rights?|access|role|privileges?|authority|clearance|permissions?|scopes?)
        (insufficient|missing|lacks?|not enough|without) (the |an? )?(\\w+ )?(permissions?|privileges?|rights?|scopes?)
        <NOT> (authori[sz]ed|permitted|entitled) to
        role … (does|do) not (allow|permit|include|let) …
        (this|the|that|your) (command|call|request|tool|operation|action|code|query|statement|method|path|domain
            |host|url) (_ )?(is|was) (<NOT> (allowed|permitted|authori[sz]ed)|blocked|forbidden|prohibited|denied|disallowed)
        (blocked|refused|rejected|prevented|disallowed|forbidden|denied) by … (policy|policies|firewall|guard*|filter
            |parental controls?|administrators?|security|sandbox|robots*|cors|hook)
        (cross-origin|cors) … (blocked|denied|not allowed)
        """,
        """
        <NOT> (be )?(allowed|permitted|authori[sz]ed|entitled|cleared|eligible|privileged|approved for)(?! (in|when|while|here
            |as|at|before|after|until))
        <NOT> have …(rights?|access|role|privileges?|authority|clearance|permissions?|scopes?)
        (only|reserved for|restricted to|limited to|requires?|needs?) (the |an? |its |their )?([\\w-]+ )?<ROLE>
        (lacks?|missing|insufficient|without|higher|more) (the |an? |your )?(\\w+ ){0,3}<ROLE>
        <ROLE> only
        access … not granted
        (is|are|was) (forbidden|prohibited|disallowed|off[- ]limits)
        (policy|policies|firewall|administrator|rules?) … (blocks?|forbids?|prohibits?|prevents?|disallows?) …
        (access|entry|write|read) (\\w+ ){0,2}(refused|restricted|blocked|revoked)
        (blocked|refused|rejected|prevented|stopped|disabled|locked) by …(policy|policies|firewall|rules?|settings?|guard*
            |filter|controls?|admin*|security|sandbox)
        may (not|only) (?!specify|contain|combine|exceed|be ) …
        only ([\\w-]+ ){1,7}(may|can|are allowed|is allowed) (?!be ) …
        (visible|available|accessible|open) to (the )?(\\w+ ){0,3}only
        (lacks?|without|has no|have no) (\\w+ ){0,2}(access|rights?|authority|permissions?|capability)
        required … (permissions?|scopes?|role)(?= (for|on|to|in)|$|[.,;:])
        outside (of )?(the |your |its )?((allowed|permitted) (?!range|limit|bound|value)|working
            |workspace|sandbox|authori[sz]ed|project) …
        (belongs to|owned by) (another|someone|somebody|a different|other) …
        (against|violates?) (the |our |your )?(\\w+ )?polic(y|ies)
        (no|read-only) (\\w+ )?access
        <NOT> (given |granted )?consent* …
        consent … (missing|required|withdrawn|revoked|not (given|granted))
        """,
        """
        (denied|forbidden|disallowed|prohibited|off[- ]limits|unauthori[sz]ed)
        (private|confidential|classified)
        """,
    ),
    (
        m.CONNECTION,
        """
        (unreachable|not reachable|no route to|no such host|socket hang ?up|broken pipe|connection (\\w+ ){0,2}(reset|refused
            |lost|closed|dropped|failed|aborted|timed out))
        <COULD>(\\w+ )?(reach|reached|connect|contact|contacted|resolved?(?! to (a|an) \\w+ with the)
            |establish|get through to|talk to)( |$|[.,;:])
        (socket|stream|channel|session|line|link|port) (was |is |got |has been )?(unexpectedly )?(closed|reset|dropped|lost
            |disconnected) …
        (closed|reset|dropped|terminated|hung up) by (the )?(peer|remote|server|other)
        lost (the )?(connection|contact|link|network|internet) …
        no (connection|contact|link|network|internet)(?= (to|with|from|between)|$|[.,;:])
        (ssl|tls|certificate|handshake) … (fail*|error|problem|unable|untrusted)
        fetch failed
        dial tcp
        (name resolution|dns) …(fail*|error)
        """,
        """
        network …(down|error|failure|problem|unavailable|lost)
        (lost|dropped|closed|refused|broken|bad) (the |its )?(connection|contact|link|signal)
        (server|host|connection|peer) (has|have) gone away
        (ssl|tls|certificate) … (invalid|expired|not|reject*)
        """,
        """
        (econn*|getaddrinfo|dns|hung up|transport is closing|no (signal|dial tone|carrier|response from the (device|network)))
        """,
    ),
    (
        m.UNAVAILABLE,
        """
        (temporar*|momentarily) (\\w+ ){0,2}(unavailable|not available|offline|down|overloaded|out of service|suspended
            |not reachable|unable)
        service … unavailable
        <SERVICE> (\\w+ ){0,6}(unavailable|down|offline|overload*|under maintenance|not responding|unresponsive
            |out of service|not available|restarting|rebooting|starting up|warming up|shutting down|busy|not ready|at capacity)
        (down|unavailable|closed|offline) for (\\w+ )?maintenance
        maintenance (mode|window|work|in progress|until)
        (try|retry|come back|check back) (\\w+ )?(again )?(later|soon|in (about |around )?(a|an|one|two|few|some|#)|tomorrow
            |after|shortly)
        (is|are) (still )?(loading|starting up|warming up|initiali[sz]ing)
        no (\\w+ ){0,2}(workers?|servers?|nodes?|backends?|replicas?|operators?|gpus?|instances?) (\\w+ )?(available|free
            |online|ready)
        too many (open )?(clients|connections|files|sessions)
        <NOT> (the )?(primary|master|leader) …
        (primary|master|leader) (is not available|not available|(has )?changed)
        internal server error
        bad gateway
        circuit( |-)?(breaker )?(_ )?(is )?open
        recovery mode
        no healthy …
        (election|failover|recovery|rebuild*|reindex*|re-index*|migration|restart) (is )?(currently )?in progress
        """,
        """
        (currently|presently) (unable|not able) to …
        (not|no \\w+ is) (currently|presently) available
        (is|are) (currently |still )?being (re-)?(indexed|reindexed|reloaded|rebuilt|restarted|updated|upgraded|migrated)
        (is|are) (down|swamped|overwhelmed)(?= (right now|at the moment|today)|$|[.,;:])
        ^(overloaded|unavailable)(?=$|[.!])
        (currently|right now|at the moment|presently) (\\w+ ){0,2}(unavailable|not available|offline|down|closed)
        <SERVICE> (\\w+ ){0,5}(closed|suspended|paused|powered off|switched off|asleep|frozen|hung|stopped|not (available
            |ready|running|online|up|working))
        no \\w+ (is |are )?(currently )?available (right now|at the moment|currently|today|now|at present)
        """,
        """
        (unavailable|overload*|maintenance|out of (service|order)|outage|at capacity|too busy|offline|unresponsive
            |not responding|not ready)
        try again
        """,
    ),
    (
        m.NOT_FOUND,
        """
        no such <NOUN>
        <CANNOT>(\\w+ )?(find|found|locate|located|identify|identified)(?! in \\d+ )
        <CANNOT>resolve to (a|an) \\w+ with the
        (is |was |were |are |be |been |)not (be |been )?(found|located|registered|listed)(?! in \\d+ )
        (does|do|did) not exist
        (non-?existent|no longer exists?)
        (there is|there was|we have|i have|i know) no <THING>( \\w+){0,4} (_|with|named|called|by|under|numbered|that|like
            |matching|for the)
        no <THING>( \\w+){0,4} (named|called|numbered|with (\\w+ ){0,4}<LABEL>|with (that|this)|by that|under that|goes by
            |answers to|on (file|record)|known as)
        no <THING>( \\w+){0,2} (_|#|(found|exists?|registered|available) (for|with|at|in|under|on|by) …(_|#|\\w*\\d\\w*|this
            |that|the given))
        (nobody|no one) (is )?(named|called|by)
        (user|customer|account|order|file|page|item|record|document|project|id) (is |was )?unknown
        <NOT> been (created|added|written|uploaded|published|registered|recorded|released) (yet|so far)
        <NOT> (paired|linked|connected|registered|associated|enrolled) (with|to|in|on|for) (this|your|the|our|any) …
        is not (a |an )?(approved|known|registered|existing|recogni[sz]ed|listed|published|assigned|official) …
        i do not (know|have|recogni[sz]e) (any|an?|that|this|the) …
        (never heard of|has gone missing|no longer available) …
        """,
        """
        not (be |been )?(found|located|exist|existing|present|known|listed|stocked|in (the(?! (past|future))|your|our|this|any
            |its|their)|on (file|record|the|your|this)|part of|among|registered)(?! in \\d)
        (was|were|been|is|got) (already )?(deleted|removed|purged|discontinued|delisted|retired|withdrawn)
        (is|are) (unknown|gone)
        (is |was |are )?unknown(?=$|[.,;:!])
        (there (is|are|was|were)|we have) no (?!such|way|need|reason|doubt|problem)\\w+
        no (?!such)\\w+( \\w+){0,4} (found|exists?|named|called|known|matches|matched|match|matching)
        (nothing|nobody|no one) (found|known|exists|matches|is (stored|registered|filed|known|saved) (under|for|with|at|as))
        never been (created|added|written|uploaded|published|registered|recorded|released)
        no match(es)?(?=$|[.,;:])
        unknown (?!(option|parameter|unit|format|argument|flag|field|column|mode|operator|type|value|currency|command|time
            |codec|setting|property|error|reason))\\w+(?=$|[.:;]| _| #)
        (missing from|not appear in|do not (have|know|carry|stock|recogni[sz]e)
            |does not (have|know|carry|stock|contain(?! an? valid))
            |did you mean)
        delisted
        """,
        """
        not (be |been )?(found|located|exist|existing|present|known|listed|stocked|in (the(?! (past|future))|your|our|this|any
            |its|their)|on (file|record|the|your|this)|part of|among|registered)
        (there (is|are|was|were)|we have|has|have) no \\w+
        no \\w+( \\w+){0,4} (found|exists?|named|called|known|matches|match|matching|available|for|at|on|in|with|under|here)
        (nothing|nobody|no one) (found|known|exists|by|matches|here|with|is|at|under)
        unknown (?!(option|parameter|unit|format|argument|flag|field|column|mode|operator|type|value|currency|command|time
            |codec|setting|property|error|reason))\\w+
        no data
        """,
    ),
    (
        m.CONFLICT,
        """
        already (exists?|taken|booked|reserved|in use|registered|been \\w+|claimed|assigned|running|started|shipped|paid|sold
            |checked)
        (version|edit|merge|update|scheduling) conflict
        (changed|modified|updated|edited) (since|in the meantime|meanwhile|by (another|someone|somebody)) …
        (no longer be|can no longer) …
        """,
        """
        already (?!have|has|had) …
        you already (have|own|hold) …
        (changed|modified|edited|updated) by … while
        (state|status) transition …
        no <STATE>\\w+ to <CHANGE>
        <CANNOT><CHANGE> (a |an |the |)<STATE>\\w+(?=$|[.,;:])
        only \\w+ in (state|status) \\w+ can be \\w+ed
        only (\\w+ ){1,4}can be \\w+ed
        (is|are) in (a |an |the )?\\w+ (state|status)(?= and|$|[.,;:])
        (\\w+ed|running|in use) already(?=$|[.,;:])
        <NOT> in (a|the) (\\w+ )?(state|status) …
        concurrent(ly)? (update|change|modification|write|edit)*
        would be (overwritten|lost|orphaned) …
        (conflicts?|clash(es)?|overlaps?|collides?) with …
        (changed|modified|updated|edited|moved|replaced|altered|saved) … (since|meanwhile|in the meantime|by (another|someone
            |somebody)|elsewhere|concurrently)
        (can|could|may) (not|no longer) (?!be (before|after|earlier|later|in )) … (while|because|since|once|until|unless
            |after|as long as|during|before|when|any ?more|any longer|in (this|its current) state|in (state|status))
        no longer (possible|be|editable|refundable|accepts?|accepting|available|open|active) …
        <BE> (\\w+ )?<TAKEN>(?! of)
        (another|someone|somebody|a different) (\\w+ ){0,5}(is|has|holds?|owns?|uses?|was|already) …
        (must|has to|have to|needs? to|should) (first )?be …(first|before|beforehand)
        (must|has to|have to|needs? to|can) (first|only) …
        (first|before (you|it|this|that)|until|unless) … (can|must|close|stop|start|open|pay|finish|cancel|return|delete
            |remove|detach|release|commit|reverse)
        (can|could) (not|no longer) (be )?(deleted?|removed?|drop(ped)?|cancel(led)?|closed?|archived?|edit(ed)?
            |changed?) … (with|that has|while|containing|because|until) …
        (ended|expired|closed|finished|started|departed|took place) (yesterday|today|already|last|on|at|# \\w+ ago) …
        (was|were|has been|have been) (modified|changed|updated|moved|edited)(?=$|[.,;:])
        with (this|that|the same) \\w+ (already )?exists
        (version mismatch|stale|out[- ]of[- ]date|outdated|not empty|in progress|in flight|precondition|uncommitted|unstaged
            |unsaved|unmerged|diverged)
        condition … (not (satisfied|met)|fail*)
        (acquir*|obtain*|get*) (the |a |)(\\w+ )?lock
        lock(ed)? (is )?(held|by|file)
        <CANNOT>(delete|remove|drop|close) … (used by|in use)
        (depends on|still (has|have|contains?|referenced|in use|attached|open|running|depends?|owes?|used|linked|assigned
            |active|holds?)|referenced by|would (overwrite|exceed|create|overlap|leave|break|orphan|double)) …
        (not appear (verbatim|in)|no replacement|failed to (exactly )?match|multiple (matches|occurrences)|not unique
            |patch …not apply)
        (only|not) (\\w+ )?(possible|allowed|accepted|available) (when|while|if|after|before|in (state|status)) …
        (is|are|was|were) (not|no longer) (\\w+ )?(open|active|editable|pending|refundable|cancell?able|running|empty|paid
            |approved|in state|accepting|eligible)
        (out of turn|\\w+'s turn|not (the |your |my |their )*turn|whose turn)
        (none|nothing|0 \\w+|zero \\w+|only # \\w+) (is |are |)(left|remaining|free|vacant|in stock|available)
        no (\\w+ )?\\w+ (is |are )(left|remaining|free|vacant|in stock|available)
        (is|are|was|were|be|been) (\\w+ )?(fully booked|sold out|out of stock|on hold|frozen|archived|read-only|immutable
            |locked)
        (is|are) (currently |still |being )?(<STARTS> or )?(moving|running|open|closed|active|paused|armed|charging|printing
            |recording|playing|occupied|engaged|processed|edited|shipped|delivered|completed|finished|paid|cancell?ed
            |finali[sz]ed|over|past|merged|expired|left)
        has (left|shipped|ended|started|closed|begun|departed|passed|finished|been (shipped|paid|completed|closed|approved
            |delivered|dispatched))
        """,
        """
        already …
        (conflict*|clash*|overlap*|duplicate*|collid*|collision) …
        <BE> (\\w+ )?<TAKEN>
        (none|nothing|no \\w+|no \\w+ \\w+|0 \\w+|zero \\w+|only # \\w+) (is |are |)(left|remaining|free|vacant|in stock
            |available)
        (fully booked|sold out|out of stock|is full|are full|on hold|frozen|archived|read-only|immutable|locked)
        """,
    ),
    (
        m.ARGUMENT,
        """
        (invalid|illegal|malformed|unsupported|unrecogni[sz]ed) (?!(?:in|of|at|on|from|who|was|is|and|or)(?!\\w))\\w+
        <NOT> (be )?(a |an )?(valid|supported|recogni[sz]ed) …
        is not one of …
        <CANNOT>query field
        <CANNOT>(\\w+ )?(parse|interpret|understand|convert)
        (validation (error|failed)|syntax error|parse error|bad request|out of range) …
        unknown (option|parameter|unit|format|argument|flag|field|column|mode|operator|type|value|currency|command|time ?zone
            |codec|setting|property|attribute)
        (expected|expects) (?![1-5]\\d\\d(?!\\d))(a|an|one of|#|yyyy*|format|iso*) …
        """,
        """
        (no valid|out of bounds) …
        <NOT> (a |an |be a |be an |be )?(\\w+ )?(valid|supported|recogni[sz]ed|understood|parseable|numeric|well-formed|legal
            |acceptable|one of|any of|among)
        <CANNOT>(\\w+ )?(parse*|convert*|interpret*|understand|understood|decode*|evaluate*|cast|be (empty|negative|zero|null
            |blank|none|greater|less|before|after|earlier|later|in the past|longer|more|the same|used with|combined))
        (must|has to|have to|should|needs? to|shall) (not |either |also |only |always )?(be|have(?! (been|happened|occurred))
            |contain|match|start|begin|end|appear|include|consist|come|lie|follow|give|specify|provide|use|equal|differ)
        (is|are|was|were) (required|mandatory|missing)
        ^(expected|expects|expecting) (?!\\d)…
        expected (exactly |at least |at most )?# (arguments?|parameters?|values?|columns?|fields?)
        ^missing (\\w+ )?(fields?|parameters?|arguments?|values?|keys?|columns?|propert*|options?|headers?) …
        (is|was|are) (negative|not set)
        (no|empty) \\w+ (was |were |has been )?(given|provided|specified|supplied|entered|selected|passed|set)
        (is|are|was|were|looks|seems) (\\w+ )?too (long|short|large|small|many|few|high|low|big|early|late|far|old|young
            |heavy|light|deep|narrow|wide)
        in the past
        (lies|is|are|be|falls) in the future
        (is|are) (both )?(the same|identical|equal)
        (i|we) need (a|an|the|your|more|at least) …
        ^(negative|empty|zero) \\w+$
        (format|value|type|number|length|spelling) (is |was |looks? )?(wrong|incorrect|bad)
        outside (of )?(\\w+ ){0,3}(range|limits?|bounds|values?)
        (larger|greater|bigger|smaller|less|higher|lower|longer|shorter|earlier|later) than (the |its )?(\\w+ )?(maximum|minimum
            |limit|allowed|permitted|start*|end*)
        exceeds? (the |its |a )?(\\w+ ){0,2}(maximum|max|limit|length|size|range|allowed|permitted) …
        (minimum|maximum) (\\w+ ){0,3}(is|of|are) # …
        ^(\\w+ ){1,3}too (long|short|large|big|small)(?= for |$|[.,;:])
        <NOT> (match|conform|parse|look like|correspond|fit|make sense|comply|add up|a (number|date|time|string|file
            |directory|whole|legal|possible|positive|multiple)) …
        (please|must|can) (specify|provide|use|enter|choose|supply|pass|give|pick|set|reduce|shorten) …
        ^(specify|provide|supply|enter|choose|pass) …
        only (\\w+ ){1,4}(is|are) (accepted|allowed|supported|valid|permitted)
        mutually exclusive
        (can|may|must) not be (used|combined|specified|given|passed|set) (together|with|at the same time) …
        violates (the )?(not-null|check) constraint …
        unmatched (\\w+ )?(\\W|parenthes*|bracket*|quote*|brace*)
        (allowed|valid|possible|supported|available|legal|accepted|known) (\\w+ )?(values?|options?|choices?|formats?|units?
            |codes?|types?|moves?|names?|languages?) …
        (choose|pick|use) (one|either|from|a|an) …
        (bad (format|input|value|date)|(wrong|incorrect) (\\w+ )?(format|type|number|unit|length|value)) …
        (is|are|was|were|looks?) (wrong|incorrect|invalid|malformed)
        not allowed (here|in this (context|position|place))
        <NOT> (a|an) (permitted|allowed|accepted) …
        exceeds (the |a )?# ?(bytes|[kmgt]i?b|characters|chars|letters|words|lines|rows|items|pixels|%|percent)
        (was left empty|makes? no sense)
        (error in (your|the) (\\w+ )?syntax|syntax to use|unterminated …|missing [)}])
        (flag|option|argument) (\\w+ ){0,2}not (defined|known|recogni[sz]ed)
        <CANNOT>(read|use|take|accept) (this|it|that|_) as …
        (not (take|accept|support|have a)|only (accepts?|supports?|takes?|works?|handles?|available in|integers|numbers)) …
        unexpected (token|character|argument|keyword|type|value|end|input) …
        (before|after) (the )?(\\w+ )?(start(_\\w+)?|end(_\\w+)?|begin*|pick-?up|drop-?off|departure|arrival
            |check-?in|check-?out)
        """,
        """
        (invalid*|illegal|malformed|ill-formed|unsupported|unrecogni[sz]ed|out of bounds|no valid) …
        (expected|expects|expecting|required|mandatory|missing)
        (is|was|are) (blank|empty|negative|zero|not set)
        too (long|short|large|small|many|few|high|low|big|early|late|far|old|young|heavy|light|deep|narrow|wide)
        (larger|greater|bigger|smaller|less|more|higher|lower|longer|shorter|older|younger|earlier|later|fewer) than …
        (exceeds?|between|at least|at most|minimum|maximum|up to) …
        (mismatch|checksum|check digits?|ambiguous|bad (format|input|value|date)|(wrong|incorrect) (\\w+ )?(format|type|number
            |unit|kind|length)) …
        """,
    ),
)


_NAMED = re.compile(r"<([A-Z]+)>")
_PLAIN = re.compile(r"[a-z]{2,}")
_LOOKAROUND = re.compile(r"\(\?<?[=!](?:[^()]|\([^()]*\))*\)")
_WORD = re.compile(r"[^\W_]+")


class _Pattern:
    """One line of the table, compiled when it is first needed."""

    __slots__ = ("_compiled", "_line", "meaning")

    def __init__(self, meaning: m.Meaning, line: str) -> None:
        self.meaning, self._line = meaning, line
        self._compiled: re.Pattern[str] | None = None

    def occurs_in(self, sentence: str) -> bool:
        """Whether a sentence contains what the line says."""
        if self._compiled is None:
            written = re.sub(r"(?<=\w)\*", r"[\\w-]*", self._line.replace("#", r"\d[\d.,]{0,12}"))
            written = re.sub(r" ?\u2026 ?", r"(?: |.{0,60}?\\W|$)", written)
            self._compiled = re.compile(rf"(?<!\w)(?:{written})(?:(?!\w)|$|(?<=\W))")
        return self._compiled.search(sentence) is not None


class _Table:
    """Lines, indexed by words of which a sentence must have one."""

    def __init__(self, lines: Iterator[tuple[m.Meaning, str]]) -> None:
        self._patterns: list[_Pattern] = []
        self._by_word: dict[str, list[int]] = {}
        self._by_start: dict[str, list[tuple[str, int]]] = {}
        self._always: list[int] = []
        for number, (meaning, line) in enumerate(lines):
            self._patterns.append(_Pattern(meaning, line))
            words = _required_words(line)
            for word in words:
                if word.endswith("*"):
                    self._by_start.setdefault(word[:2], []).append((word[:-1], number))
                else:
                    self._by_word.setdefault(word, []).append(number)
            if not words:
                self._always.append(number)

    def find(self, sentence: str) -> m.Meaning | None:
        """The meaning of the first line that occurs in a sentence, or None."""
        near = set(self._always)
        for word in set(_WORD.findall(sentence)):
            near.update(self._by_word.get(word, ()))
            near.update(number for start, number in self._by_start.get(word[:2], ()) if word.startswith(start))
        for number in sorted(near):
            if self._patterns[number].occurs_in(sentence):
                return self._patterns[number].meaning
        return None


def _required_words(line: str) -> list[str]:
    """Words of which every match of a line has one; empty if there are none. `word*` stands for a word's beginning."""
    best: list[str] = []
    for piece in _split(_LOOKAROUND.sub("", line), " "):
        if piece[:1] != "(":
            start = _PLAIN.match(piece)
            whole = start is not None and start.end() == len(piece)
            words = [] if start is None else [piece if whole else f"{start[0]}*"]
            if start is not None and not whole and piece[start.end()] in "?{":  # the last letter is optional
                words = [f"{start[0][:-1]}*"]
        else:
            body, _, quantifier = piece.rpartition(")")
            if body[:2] == "(?" or quantifier[:1] in ("?", "*", "{"):
                continue
            choices = [_required_words(choice) for choice in _split(body[1:], "|")]
            words = [word for choice in choices for word in choice] if all(choices) else []
        if words and (not best or _rarity(words) > _rarity(best)):
            best = words
    return best


def _rarity(words: list[str]) -> int:
    return min(len(word) for word in words)


def _split(line: str, mark: str) -> Iterator[str]:
    """The parts of a line between marks that are outside of groups. A group ends its part."""
    depth, start = 0, 0
    for place, letter in enumerate(line):
        if letter == "(":
            if depth == 0 and mark == " " and place > start:
                yield line[start:place].strip() + ("" if line[place - 1] == " " else "*")
                start = place
            depth += 1
        elif letter == ")":
            depth -= 1
        elif depth == 0 and (letter == mark or (mark == " " and letter == "\u2026")):
            yield line[start:place]
            start = place + 1
    yield line[start:]


def _lines(*columns: int) -> Iterator[tuple[m.Meaning, str]]:
    for row in _TABLE:
        for column in columns:
            for line in joined_lines(str(row[column])):
                written = line
                while _NAMED.search(written):
                    written = _NAMED.sub(lambda name: _WORDS[name[1]], written)
                yield row[0], written


@lru_cache(maxsize=3)
def _table(*columns: int) -> _Table:
    """The lines of some columns: 1 clear, 2 complaints, 3 hints."""
    return _Table(_lines(*columns))


def normalize(text: str) -> str:
    """A text in lower case, with `_` for quotations, without decoration and with contractions expanded."""
    words = _BLANKS.sub(" ", _QUOTED.sub("_", text)).strip().lower()
    for short, whole in _CONTRACTIONS:
        words = words.replace(short, whole)
    return words


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, in the form in which they are matched: at most six."""
    for one in _SENTENCES.split(_WRAPPER.sub("_", text[:_LONGEST_TEXT]), _MOST_SENTENCES)[:_MOST_SENTENCES]:
        words = normalize(one)
        if words:
            yield words


def clear_sense(sentence: str) -> m.Meaning | None:
    """What a normalized sentence reports, if it hardly ever is the answer to a question; otherwise None."""
    return None if _COUNTS.fullmatch(sentence) else _table(1).find(sentence) or foreign_sense(sentence)


def sense(text: str) -> m.Meaning | None:
    """What a text says that is known to report a failure: the meaning of its first sentence that has one, or None.

    Args:
        text: untrusted text; only the first 800 characters are read.
    """
    for sentence in sentences(text):
        meaning = clear_sense(sentence) or (None if _COUNTS.fullmatch(sentence) else _table(2, 3).find(sentence))
        if meaning is not None:
            return meaning
    return None


def complaint(text: str) -> m.Meaning | None:
    """What the text of an exception complains of, or None.

    Hints do not count, nor do counts: `12 players timed out in round 3`.

    Args:
        text: untrusted text; only the first 800 characters are read.
    """
    return _complaint(text[:_LONGEST_TEXT])


@lru_cache(maxsize=256)
def _complaint(text: str) -> m.Meaning | None:
    """What a text complains of. What fails once often fails again with the same text."""
    for one in sentences(text):
        sentence = _LABEL.sub("", one)
        if _COUNTS.fullmatch(sentence) or _COUNTED.match(sentence) or _NO_RESOURCE.search(sentence):
            continue
        meaning = clear_sense(sentence) or _table(2).find(sentence)
        if meaning is not None:
            return meaning
    return None
