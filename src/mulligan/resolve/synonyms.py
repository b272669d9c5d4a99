"""Tables of the words in tool names, and of the relations between them.

Each line of a table is a group; a word may be in several. Words on one line of SAME are synonyms, and words on one line
of RELATED are related. Each line of OPPOSITE has two sides, which are never confused with each other.
"""

from __future__ import annotations

SYNONYMS = """
get fetch retrieve read load obtain view show display
search find lookup query locate grep
list ls enumerate
delete remove rm erase destroy drop
create add make new insert
update edit modify change alter amend patch
write save
run execute exec invoke
send post deliver
move mv
copy cp duplicate clone replicate
start launch begin boot
stop halt terminate kill
calculate calculator compute calc math evaluate
click tap press
type fill input enter
navigate goto visit browse
schedule book reserve appointment
summarize summary summarise
initialize initialise init
multiple multi
translate translation translator
directory dir folder
repository repo
message msg dm
email mail
image img picture photo pic
screenshot screengrab capture
command cmd shell bash terminal console
database db
config configuration settings preferences
environment env
application app
information info details
webpage page website site
organization organisation org company
document doc
function func method
param parameter argument
temperature temp
language lang
address addr
number num
authenticate auth login signin
identifier id
conversation chat thread
customer client
employee staff worker
person people contact
movie film
song track
meeting appointment
channel room
reply respond answer
diff difference compare
price quote cost
"""

RELATED = """
get fetch read load view show open display cat print access see info detail describe
get check lookup status track find
read analyze inspect examine review parse extract scrape understand explain content
describe explain inspect examine info detail schema structure metadata stat column field definition
search find grep rg glob query lookup locate discover match filter scan seek explore
grep rg search code file text content pattern match
glob find search file path pattern name
list all show index browse catalog history get every
list tree directory file
count sum total average aggregate number statistic stat metric analytic
check verify validate test ensure status health monitor ping
create generate open init register build start submit file raise
write save create put store append overwrite output dump record
append insert add attach extend
update edit modify replace substitute set put adjust revise fix rename configure move resize scale
delete clear purge clean wipe trash discard forget cancel
truncate clear purge empty flush wipe
kill abort cancel stop terminate
cancel abort revoke stop void undo return
stop end shutdown quit close pause disable
start enable resume spawn trigger activate open
restart reboot reload refresh
toggle switch flip turn set
run call eval start perform trigger launch test execute
run command shell terminal script process subprocess
code script python javascript js program interpreter sandbox repl notebook run execute evaluate function
send notify email publish share reply submit notification alert text sms message
message email notification sms chat conversation comment inbox slack thread
comment reply note review feedback annotate
move rename relocate transfer
copy fork backup
convert transform format exchange parse
export download save dump backup
import upload ingest load attach
upload put file store
think thinking thought reason reasoning plan reflect brainstorm ponder sequential analyze
memory remember recall store note knowledge graph entity node observation
forget memory entity delete
wait sleep delay pause timer timeout
click select choose pick button
type write text field form key keyboard
navigate open url link page redirect
schedule create plan calendar event meeting remind
buy purchase order pay checkout cart
refund return reimburse payment
approve accept confirm allow grant authorize authorise
reject deny decline refuse
merge combine join concat
human agent escalate support handoff transfer operator
page dom document html content markup snapshot structure
page document html web url tab content
browser page tab url web navigate
element selector button dom node field
web internet online google bing search url
fetch download curl http request url web api wget crawl scrape
file path document text attachment content
directory path workspace
image figure drawing art dalle draw generate screenshot graphic
screenshot screen snapshot
weather forecast rain climate temperature umbrella snow wind humidity sunny
sql query select statement database
row record table entry sql
table database schema object sheet column view
count row sql query
spreadsheet sheet excel csv cell range
code source symbol repository
repository project git github gitlab codebase
git commit branch log history diff version revision
issue ticket bug task incident case
pull pr merge mr diff request change
person user account member profile owner assignee author
customer user account buyer lead
user member team people group
invoice bill receipt charge payment
payment transaction charge money card billing purchase
currency exchange rate money forex fx
stock share ticker quote market equity symbol
order purchase shipment delivery package parcel
address location shipping delivery street
location place city map position gps coordinate geocode address
direction route navigation map travel distance
time date datetime clock timezone now today
event calendar meeting invite agenda
reminder remind alarm alert notification timer
note memo text page
flight plane airline airfare trip travel ticket
hotel accommodation lodging stay room
restaurant food dining reservation
song music audio playlist album artist play
video movie clip youtube watch
news article headline story
product item catalog inventory stock sku article
chart plot graph diagram visualize visualization figure draw
log trace event console audit stdout
process task job workflow build pipeline run
package dependency library module install
server host machine instance vm
container docker pod
deploy apply release rollout deployment publish
kubernetes kubectl pod deployment cluster
secret key token credential password
label tag category
todo task list item reminder
report analysis summary statistic analytic
policy rule permission access role
device light thermostat sensor
text string content body
contact phone address
metric kpi figure value
help documentation doc manual guide
mkdir create make directory folder
touch create file
rmdir delete directory folder
ps list process
whoami me self profile account user
ask question clarify prompt user input human
finish complete done submit end
agent subagent task delegate
undo revert rollback restore reset
trip itinerary travel flight hotel
car vehicle taxi cab ride rental
train rail station bus transit
booking reservation book reserve
balance account money fund bank credit
transfer wire send money payment
budget expense spend spending cost
crypto bitcoin coin price
salary payroll wage pay employee
portfolio holding asset investment stock
cart basket checkout
rating review feedback comment
coupon discount voucher promo offer
warehouse inventory stock product
track tracking shipment delivery order package
wishlist favorite bookmark save
doctor physician patient medical health appointment
medicine drug medication prescription
course class lesson student
light lamp bulb brightness
thermostat heating climate temperature ac
camera video stream snapshot image
sensor reading measurement value
test pytest spec suite check
lint format style check
endpoint route api url
webhook hook callback
cron schedule job timer
queue message job task
bucket s3 blob object storage file
certificate cert ssl tls
alert alarm incident pager
mute silence snooze suppress acknowledge dismiss
dashboard chart metric panel
vector embedding similarity semantic search
model llm ai completion prompt generate
pdf document file
slide presentation deck powerpoint
wiki page article confluence
board card kanban column task
tweet post status publish
feed timeline stream
call phone dial ring
nearby near around place
distance duration route
spell grammar proofread check
sentiment tone analyze
ocr text image scan
speech voice audio transcribe speak transcript
vacation holiday leave absence
permission access share grant role
"""

ANTONYMS = """
get fetch retrieve read load view show list search find query lookup inspect describe check \
| delete remove rm erase destroy drop unlink purge wipe trash
get fetch retrieve read load view show list search find query lookup inspect describe check \
| create add make insert generate register
get fetch retrieve read load view show list search find query lookup inspect describe check \
| update edit modify alter amend patch write save set put append overwrite replace
get fetch retrieve read load view show list search find query lookup inspect describe check \
| send submit publish cancel rename move upload reset refund merge archive
create add make new insert write save update edit modify append set put upload generate register send publish copy \
| delete remove rm erase destroy drop unlink purge wipe trash clear cancel
copy cp duplicate clone | move mv rename delete remove
start launch begin boot resume enable run open activate spawn \
| stop halt end terminate kill disable pause shutdown quit close cancel deactivate
restart reboot | stop halt terminate kill shutdown start
open reopen | close lock
lock | unlock
enable activate allow unmute on | disable deactivate block mute off
push send publish | pull receive unpublish
upload | download
import | export
install | uninstall
attach connect join link mount | detach disconnect leave unlink unmount
login signin | logout signout signup
show unhide expand | hide collapse
approve accept confirm allow grant authorize authorise assign | reject deny decline refuse revoke unassign
confirm | cancel
internal private | external public
subscribe follow like star pin | unsubscribe unfollow unlike unstar unpin
increase raise up zoom expand | decrease reduce lower down shrink collapse
encrypt | decrypt
encode | decode
compress zip pack | decompress unzip unpack extract
buy deposit credit | sell withdraw debit
play resume | pause stop
archive | unarchive restore
ban block mute | unban unblock unmute
commit | rollback revert
undo | redo
lend give | borrow take
next forward after | previous back backward before
first oldest min minimum | last newest latest max maximum
left | right
in checkin | out checkout
read unread | write
"""

# Verbs that request something and change nothing.
READING = """
get fetch retrieve read load obtain view show display list ls enumerate search find lookup query locate grep describe
inspect check see browse
"""
# Verbs that change something and have no opposite above, without those that are nouns just as often.
CHANGING = """
post notify deliver dispatch reply submit share invite run execute exec invoke deploy merge commit fork apply resolve
click tap press fill navigate toggle trigger turn rotate scale sync schedule assign attach configure confirm mark sign
buy pay purchase refund transfer swap
initialize initialise init release
silence snooze acknowledge ack dismiss untag uninvite promote demote defer postpone reschedule renew redeem ship fulfil
fulfill settle waive enroll enrol suspend onboard offboard hire upvote downvote arm disarm reissue allocate provision
drain upgrade downgrade migrate rebase squash stash resubmit transmit unshare donate prepay unbind enqueue requeue
broadcast administer prescribe discharge
"""
# Verbs that destroy something.
DESTROYING = """
delete remove rm rmdir erase destroy drop unlink purge wipe clear uninstall terminate kill forget
truncate evict deprovision deallocate expunge shred
"""
# Words that have an opposite and do not imply a change.
HARMLESS = """
in out on off up down left right first last next previous back forward backward before after oldest newest latest
minimum maximum min max take internal external private public
"""
# Words that say which of several things of one kind is meant, such as an environment.
VARIANTS = """
prod production live staging stage test testing dev development sandbox local remote private public secret internal
external admin root old new draft raw
"""
# Words that say that something reaches more people or things.
WIDENING = """
all everyone everybody every public publicly bulk mass global globally external externally entire whole
"""
# Words that say that something is only tried.
TRYING = """
test dry preview plan trial simulate simulated simulation mock rehearse draft
"""
# Words that say almost nothing about which tool is meant.
STOP_WORDS = """
mcp server tool function api default plugin the a an of to into onto for in on with by from and or all current my one
content text info detail information data result id name now
"""
# Separators between a namespace and a name.
NAMESPACE_SEPARATORS = ("__", "--", ".", ":", "/")
