package demo

// scene is one step of the story: a sentence, and lines for a shell.
type scene struct {
	caption  string
	operates bool // the operator, from before the lines on
	lines    []line
	waits    bool // until the API server serves what the lines have brought
	sends    bool // the external API something, which is shown
}

// line is run in a folder with crds and ada.yaml.
type line struct {
	shell   string
	code    int    // the exit code that it has
	silence string // what it means that it says nothing
}

const ada = `apiVersion: crm.example.com/v20110101
kind: Person
metadata:
  name: ada
spec:
  properties:
    id: 0c5a4a06-3d2b-4c1f-9a57-6f0f3d1f2a11
    firstName: Ada
    lastName: Byron
`

const grace = `apiVersion: crm.example.com/v20110101
kind: Person
metadata:
  name: grace
spec:
  properties:
    firstName: Grace
    lastName: Hopper
`

// ready returns the line that waits until a person is Ready in its present generation.
func ready(name string) line {
	return line{shell: "kubectl wait --for=condition=Ready --timeout=1m persons.v20190909.crm.example.com/" + name}
}

// properties prints those of the person in a version.
func properties(version string) string {
	return "kubectl get persons." + version + ".crm.example.com ada -o jsonpath-as-json='{.spec.properties}'"
}

// patch changes the person through a version.
func patch(version, flags, body string) string {
	return "kubectl patch persons." + version + ".crm.example.com ada " + flags + "--type=merge -p '" + body + "'"
}

var story = []scene{
	{
		caption: "A CRM service has had ten API versions since 2011. Each is served, and one is stored.",
		lines:   []line{{shell: "kubectl apply --server-side -f crds/"}},
		waits:   true,
	},
	{
		caption: "A user who knows the version 2011-01-01 writes a person.",
		lines: []line{
			{shell: "cat ada.yaml"},
			{shell: "kubectl apply -f ada.yaml"},
		},
	},
	{
		caption: "A client of 2019-09-09 reads the same person. Its names come from a step that was written by hand.",
		lines:   []line{{shell: properties("v20190909")}},
	},
	{
		caption: "That client adds what no earlier version has: a place with coordinates.",
		lines: []line{
			{shell: patch("v20190909", "", `{"spec":{"properties":{"mailingAddress":{"city":"London","latitude":51.5,"longitude":-0.1}}}}`)},
			{shell: properties("v20190909") + " > before"},
		},
	},
	{
		caption: "The version of 2011 has no address. What it cannot show travels in its status, as one string.",
		lines: []line{
			{shell: properties("v20110101")},
			{shell: "kubectl get persons.v20110101.crm.example.com ada -o jsonpath='{.status.propertyBag}'"},
		},
	},
	{
		caption: "So the old client edits the name that it knows, and that alone changes. Nothing that is new is lost.",
		lines: []line{
			{shell: "KUBE_EDITOR='sed -i.old s/Byron/Lovelace/' kubectl edit persons.v20110101.crm.example.com ada"},
			{shell: properties("v20190909") + " > after"},
			{shell: "diff -U 1 -L before -L after before after", code: 1},
		},
	},
	{
		caption: "It goes on with its own file, too. Applied and compared again, there is nothing to do.",
		lines: []line{
			{shell: "sed -i.old s/Byron/Lovelace/ ada.yaml"},
			{shell: "kubectl apply -f ada.yaml"},
			{shell: "kubectl diff -f ada.yaml", silence: "no difference"},
		},
	},
	{
		caption: "A property that was renamed is one property: alphaKey of 2014 is the sortKey of 2015 and later.",
		lines: []line{
			{shell: patch("v20140404", "", `{"spec":{"properties":{"alphaKey":"LOVELACE"}}}`)},
			{shell: "kubectl get persons.v20150505.crm.example.com ada -o jsonpath='{.spec.properties.sortKey}'"},
			{shell: "kubectl get persons.v20190909.crm.example.com ada -o jsonpath='{.spec.properties.sortKey}'"},
		},
	},
	{
		caption: "The step for names works both ways: a legal name of 2019 is taken apart for the versions before 2014.",
		lines: []line{
			{shell: patch("v20190909", "", `{"spec":{"properties":{"legalName":"Augusta Ada King","familyName":"King","knownAs":"Ada"}}}`)},
			{shell: properties("v20130303")},
		},
	},
	{
		caption: "What travels in the status cannot be forged, not even by an administrator.",
		lines: []line{
			{shell: patch("v20110101", "--subresource=status ", `{"status":{"propertyBag":"{}"}}`), code: 1},
		},
	},
	{
		caption: "The cluster stores one object, in the hub's version. What the hub has no property for stands beside it; status.propertyBag is not stored.",
		lines: []line{
			{shell: "kubectl get persons.v20190909storage.crm.example.com ada -o jsonpath-as-json='{.spec}'"},
			{shell: "kubectl get persons.v20190909storage.crm.example.com ada -o jsonpath='{.status}'", silence: "no status"},
		},
	},
	{
		caption:  "The CRM service itself has had these versions, too. An operator makes the person there, and calls the service in the version that was written last.",
		operates: true,
		lines:    []line{ready("ada")},
		sends:    true,
	},
	{
		caption: "Who still writes 2011-01-01 is understood: the service is sent that version, and what was written, nothing else.",
		lines:   []line{{shell: "kubectl apply -f grace.yaml"}, ready("grace")},
		sends:   true,
	},
	{
		caption: "A label that is set through another version changes nothing outside.",
		lines: []line{
			{shell: "kubectl label persons.v20190909.crm.example.com grace team=compilers"},
			{shell: "kubectl get persons.v20190909storage.crm.example.com grace -o jsonpath='{.spec.originalVersion}'"},
		},
	},
	{
		caption: "A client of 2019 changes the person, and the service is called in that version from then on.",
		lines: []line{
			{shell: "kubectl patch persons.v20190909.crm.example.com grace --type=merge -p '{\"spec\":{\"properties\":{\"knownAs\":\"Amazing Grace\"}}}'"},
			{shell: "kubectl wait --for=jsonpath='{.status.properties.knownAs}'='Amazing Grace' --timeout=1m persons.v20190909.crm.example.com/grace"},
		},
		sends: true,
	},
	{
		caption: "Its status comes back in every version.",
		lines:   []line{{shell: "kubectl get persons.v20110101.crm.example.com grace -o jsonpath-as-json='{.status.properties}'"}},
	},
	{
		caption: "What is deleted here is deleted there, and not gone here before.",
		lines:   []line{{shell: "kubectl delete persons.v20110101.crm.example.com grace"}},
		sends:   true,
	},
}
